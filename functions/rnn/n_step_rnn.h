#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/functions/rnn/n_step_gru.h"

namespace catena::functions {

struct NStepRnnOptions {
  NamedFieldsOnly keywords = {};
  // "tanh" or "relu".
  std::string_view activation = "tanh";
};

// Stacked plain (Elman) recurrent layers over sequences of different lengths:
//
//   h' = activation(W0 x + W1 h + b0 + b1)
//
// Arguments, results and errors are as in n_step_lstm, without cells and with 2
// weights and 2 biases per layer; also throws ValueError for an unknown
// activation.
NStepResult n_step_rnn(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const std::vector<Variable>& xs,
                       const NStepRnnOptions& options = {});
// The same for steps of one size in one array, as in n_step_lstm.
template <std::same_as<Variable> Steps>
NStepArrays n_step_rnn(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const Steps& xs, const NStepRnnOptions& options = {});

// n_step_rnn with two directions in each layer, as in n_step_bilstm.
NStepResult n_step_birnn(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const std::vector<Variable>& xs,
                         const NStepRnnOptions& options = {});
template <std::same_as<Variable> Steps>
NStepArrays n_step_birnn(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const Steps& xs, const NStepRnnOptions& options = {});

}  // namespace catena::functions
