#pragma once

#include <array>
#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The elementwise part of an N-ary Tree-LSTM step, for nodes with N children:
//
//   c = tanh(a) sigmoid(i) + sum over k of cs[k] sigmoid(f_k)
//   h = tanh(c) sigmoid(o)
//
// cs holds the children's cells, each (B, units, ...); x is (B, (3 + N) units,
// ...), with a, i, o, f_1, ..., f_N concatenated along the second axis. All
// inputs have the same floating dtype. Returns c and h. Throws InvalidType when
// there is no child or dtypes or shapes do not match. (Tai, Socher and Manning,
// Improved semantic representations from tree-structured long short-term memory
// networks, 2015.)
std::array<Variable, 2> tree_lstm(std::span<const Variable> cs,
                                  const Variable& x);
std::array<Variable, 2> tree_lstm(std::initializer_list<Variable> cs,
                                  const Variable& x);

}  // namespace catena::functions
