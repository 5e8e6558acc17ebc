#pragma once

#include <span>

#include "catena/functions/rnn/internal/n_step_form.h"
#include "catena/functions/rnn/internal/n_step_layer.h"

namespace catena::functions {

// x as for n_step_layer, the states (layers, B, units), and the weights of each
// layer in each direction.
struct NStepNetworkInputs {
  const Variable& x;
  const Variable& hx;
  const Variable& cx;  // of an LSTM
  std::span<const NStepWeights> weights;
};

// Runs all layers: in one call of cuDNN if config().use_cudnn_rnn_stack says so
// and it supports them, else one node after the other. Gradients of gradients
// compute the layers again, one after the other; with the masks of cuDNN's
// dropout, which it keeps to itself, they throw NotImplementedError. The caller
// has checked all shapes. y is (rows of all steps, units * directions), hy and
// cy are like hx.
NStepLayerResult n_step_network(const NStepNetwork& network,
                                const NStepNetworkInputs& in);

}  // namespace catena::functions
