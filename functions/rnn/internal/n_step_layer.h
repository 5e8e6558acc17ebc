#pragma once

#include <cstdint>
#include <span>

#include "catena/autograd/variable.h"
#include "catena/functions/rnn/internal/n_step_form.h"

namespace catena::functions {

// The number of gates of a cell, i.e. of weights from x and of weights from h.
int gate_count(NStepKind kind);

// The weights and biases of a layer: for each gate those from x, then for each
// those from h.
struct NStepWeights {
  std::span<const Variable> ws;  // (units, in_size), (units, units)
  std::span<const Variable> bs;  // (units,)
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
