#pragma once

#include <array>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The elementwise part of an S-LSTM step, for nodes of binary trees:
//
//   c = tanh(a1) sigmoid(i1) + tanh(a2) sigmoid(i2)
//       + c_prev1 sigmoid(f1) + c_prev2 sigmoid(f2)
//   h = tanh(c) sigmoid(o1 + o2)
//
// c_prev1 and c_prev2 are (B, units, ...), x1 and x2 (B, 4 units, ...) with a,
// i, f, o of each unit next to each other, as in lstm. All inputs have the same
// floating dtype. Returns c and h. Throws InvalidType when dtypes or shapes do
// not match. (Zhu, Sobhani and Guo, Long short-term memory over tree
// structures, 2015. Chainer's documentation adds the children's a and i before
// the activations; its code does not.)
std::array<Variable, 2> slstm(const Variable& c_prev1, const Variable& c_prev2,
                              const Variable& x1, const Variable& x2);

}  // namespace catena::functions
