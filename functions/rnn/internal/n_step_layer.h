#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"
#include "catena/functions/rnn/internal/n_step_form.h"

namespace catena::functions {

// The number of gates of a cell, i.e. of weights from x and of weights from h.
int gate_count(NStepKind kind);

// The weights of a layer, stacked vertically over gates.
struct NStepWeights {
  Variable Wx;  // (gates * units, in_size)
  Variable Wh;  // (gates * units, units)
  Variable bx;  // (gates * units,)
  Variable bh;
};

struct NStepLayerResult {
  Variable y;   // (rows of all steps, units)
  Variable hy;  // (B, units)
  Variable cy;  // of an LSTM
};

// Runs the layer as one node. x holds the rows of all steps, stacked
// vertically; hx and cx (undefined except for an LSTM) are (B, units). The
// caller has checked all shapes.
NStepLayerResult n_step_layer(const NStepLayer& layer, const Variable& x,
                              const Variable& hx, const Variable& cx,
                              const NStepWeights& weights);

}  // namespace catena::functions
