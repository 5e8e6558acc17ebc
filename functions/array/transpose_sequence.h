#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Sequences (length_i, ...), the longest first, as a list over time: entry t
// has place t of every sequence that is so long, one after another. Any dtype.
// InvalidType when there is no sequence, one has no axis, one is longer than
// the one before, or dtypes or the other extents differ.
Variables transpose_sequence(std::span<const Variable> xs);
inline Variables transpose_sequence(std::initializer_list<Variable> xs) {
  return transpose_sequence(std::span(xs.begin(), xs.size()));
}

}  // namespace catena::functions
