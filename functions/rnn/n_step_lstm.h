#pragma once

#include <cstdint>
#include <vector>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct NStepLstmResult {
  Variable hy;
  Variable cy;
  std::vector<Variable> ys;
};

// Stacked LSTM over sequences of any lengths. In each layer, for step t,
//
//   i = sigmoid(W0 x + W4 h + b0 + b4)    f = sigmoid(W1 x + W5 h + b1 + b5)
//   a = tanh(W2 x + W6 h + b2 + b6)       o = sigmoid(W3 x + W7 h + b3 + b7)
//   c' = f c + i a                        h' = o tanh(c')
//
// The steps' x are xs in the first layer, then the h' of the layer below, of
// which dropout drops a part (config().train). xs[t] is (B_t, I), where B_t
// does not rise: sequences are sorted by falling length, so that row b of every
// step is of the same one. hx and cx, the first states, are (S, B, N) with S =
// n_layers and B of at least B_0; rows without a step keep their states. ws[l]
// are the 8 matrices of layer l, (N, I) or (N, N), bs[l] its 8 biases, (N,).
// All floating, of one dtype. Returns the last states, (S, B, N), and ys[t],
// the last layer's h' of shape (B_t, N):
//
//   const auto [hy, cy, ys] = n_step_lstm(...);
//
// ValueError for a wrong number of layers, weights or steps and for a ratio not
// in [0, 1); InvalidType, in the arguments' names, when dtypes or shapes do not
// fit or B_t rises; DeviceError.
NStepLstmResult n_step_lstm(int64_t n_layers, double dropout_ratio,
                            const Variable& hx, const Variable& cx,
                            const std::vector<std::vector<Variable>>& ws,
                            const std::vector<std::vector<Variable>>& bs,
                            const std::vector<Variable>& xs);

// The same with two directions in each layer, from the first step to the last
// and back; layer l has weights 2 l and 2 l + 1, and S is 2 n_layers. The
// outputs of both, side by side, are the layer's: ys[t] is (B_t, 2 N), and the
// matrices from x in layers above the first are (N, 2 N).
NStepLstmResult n_step_bilstm(int64_t n_layers, double dropout_ratio,
                              const Variable& hx, const Variable& cx,
                              const std::vector<std::vector<Variable>>& ws,
                              const std::vector<std::vector<Variable>>& bs,
                              const std::vector<Variable>& xs);

}  // namespace catena::functions
