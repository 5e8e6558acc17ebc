#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The last hidden states, and the outputs of each time step.
struct NStepResult {
  Variable hy;
  std::vector<Variable> ys;
};
// The same with the outputs in one array.
struct NStepArrays {
  Variable hy;
  Variable ys;
};

// Stacked gated recurrent units (GRU) over sequences of different lengths. In
// each layer,
//
//   r = sigmoid(W0 x + W3 h + b0 + b3)    z = sigmoid(W1 x + W4 h + b1 + b4)
//   hbar = tanh(W2 x + b2 + r (W5 h + b5))
//   h' = (1 - z) hbar + z h
//
// Unlike in links::GRU, r multiplies after W5, and z keeps the old state.
// Arguments, results and errors are as in n_step_lstm, without cells and with 6
// weights and 6 biases per layer.
NStepResult n_step_gru(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const std::vector<Variable>& xs);
// The same for steps of one size in one array, as in n_step_lstm.
template <std::same_as<Variable> Steps>
NStepArrays n_step_gru(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const Steps& xs);

// n_step_gru with two directions in each layer, as in n_step_bilstm.
NStepResult n_step_bigru(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const std::vector<Variable>& xs);
template <std::same_as<Variable> Steps>
NStepArrays n_step_bigru(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const Steps& xs);

}  // namespace catena::functions
