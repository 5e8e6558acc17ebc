#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"
#include "catena/functions/rnn/internal/n_step_form.h"

namespace catena::functions {

// How many gates, and so weights from x and as many from h, a cell has.
int gate_count(NStepKind kind);

// The weights of a layer, those of its gates one below the other.
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

// Runs the layer as one node. x holds the rows of all steps one below the
// other, hx and cx (undefined but for an LSTM) are (B, units). All fits; the
// caller has seen to it.
NStepLayerResult n_step_layer(const NStepLayer& layer, const Variable& x,
                              const Variable& hx, const Variable& cx,
                              const NStepWeights& weights);

}  // namespace catena::functions
