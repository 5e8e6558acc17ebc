#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The last hidden and cell states, and the outputs of each time step.
struct NStepLstmResult {
  Variable hy;
  Variable cy;
  std::vector<Variable> ys;
};
// The same with the outputs in one array.
struct NStepLstmArrays {
  Variable hy;
  Variable cy;
  Variable ys;
};

// Stacked LSTM over sequences of different lengths. In each layer, for step t,
//
//   i = sigmoid(W0 x + W4 h + b0 + b4)    f = sigmoid(W1 x + W5 h + b1 + b5)
//   a = tanh(W2 x + W6 h + b2 + b6)       o = sigmoid(W3 x + W7 h + b3 + b7)
//   c' = f c + i a                        h' = o tanh(c')
//
// x is xs[t] in the first layer, and h' of the layer below, with dropout if
// config().train, in the others. xs[t] is (B_t, I), where B_t does not
// increase: sequences are sorted by descending length, so that row b belongs to
// the same sequence in every step. hx and cx, the initial states, are (S, B, N)
// with S = n_layers and B >= B_0; rows without a step keep their states. ws[l]
// are the 8 matrices of layer l, (N, I) or (N, N), and bs[l] its 8 biases,
// (N,). All have the same floating dtype. Returns the final states, (S, B, N),
// and ys[t], the last layer's h', (B_t, N):
//
//   const auto [hy, cy, ys] = n_step_lstm(...);
//
// Throws ValueError for a wrong number of layers, weights or steps and for a
// ratio outside [0, 1); InvalidType, naming the arguments, when dtypes or
// shapes do not match or B_t increases; DeviceError when devices differ.
NStepLstmResult n_step_lstm(int64_t n_layers, double dropout_ratio,
                            const Variable& hx, const Variable& cx,
                            const std::vector<std::vector<Variable>>& ws,
                            const std::vector<std::vector<Variable>>& bs,
                            const std::vector<Variable>& xs);
// The same for steps of one size in one array (T, B, I), which saves joining
// and splitting them: ys is (T, B, N). (A template, so that {x} is a list.)
template <std::same_as<Variable> Steps>
NStepLstmArrays n_step_lstm(int64_t n_layers, double dropout_ratio,
                            const Variable& hx, const Variable& cx,
                            const std::vector<std::vector<Variable>>& ws,
                            const std::vector<std::vector<Variable>>& bs,
                            const Steps& xs);

// Bidirectional n_step_lstm: each layer runs forward and backward in time;
// layer l has weights 2 l and 2 l + 1, and S is 2 n_layers. Their outputs are
// concatenated: ys[t] is (B_t, 2 N), and the matrices applied to x in layers
// above the first are (N, 2 N).
NStepLstmResult n_step_bilstm(int64_t n_layers, double dropout_ratio,
                              const Variable& hx, const Variable& cx,
                              const std::vector<std::vector<Variable>>& ws,
                              const std::vector<std::vector<Variable>>& bs,
                              const std::vector<Variable>& xs);
template <std::same_as<Variable> Steps>
NStepLstmArrays n_step_bilstm(int64_t n_layers, double dropout_ratio,
                              const Variable& hx, const Variable& cx,
                              const std::vector<std::vector<Variable>>& ws,
                              const std::vector<std::vector<Variable>>& bs,
                              const Steps& xs);

}  // namespace catena::functions
