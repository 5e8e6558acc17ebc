#pragma once

#include <array>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The elementwise part of a long short-term memory (LSTM) step:
//
//   c = tanh(a) sigmoid(i) + c_prev sigmoid(f)
//   h = tanh(c) sigmoid(o)
//
// c_prev is (B, units, ...), x (B', 4 units, ...), with a, i, f, o of each unit
// next to each other along the second axis: (B', units, 4, ...) after a
// reshape. Both have the same floating dtype. B' may be smaller than B: c
// copies the rows from B' on from c_prev, and h has B' rows. Returns c and h:
//
//   const auto [c, h] = lstm(c_prev, x);
//
// Throws InvalidType when dtypes or shapes do not match. (Gers, Schmidhuber and
// Cummins, Learning to forget, 2000.)
std::array<Variable, 2> lstm(const Variable& c_prev, const Variable& x);

}  // namespace catena::functions
