#pragma once

#include <array>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The elementwise part of long short-term memory:
//
//   c = tanh(a) sigmoid(i) + c_prev sigmoid(f)
//   h = tanh(c) sigmoid(o)
//
// c_prev is (B, units, ...), x (B', 4 units, ...), with a, i, f, o of each unit
// side by side along its second axis: (B', units, 4, ...) after a reshape.
// Floating, of one dtype. B' may be smaller than B: rows from B' on of c are
// those of c_prev, and h has B' rows. Returns c and h:
//
//   const auto [c, h] = lstm(c_prev, x);
//
// InvalidType when dtypes or shapes do not fit. (Gers, Schmidhuber and Cummins,
// Learning to forget, 2000.)
std::array<Variable, 2> lstm(const Variable& c_prev, const Variable& x);

}  // namespace catena::functions
