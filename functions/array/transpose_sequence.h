#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Transposes sequences (length_i, ...), sorted by descending length, into a
// list over time: entry t stacks step t of every sequence that is long enough.
// Any dtype. Throws InvalidType when there are no sequences, one is 0-d or
// longer than the one before, or dtypes or the other extents differ.
Variables transpose_sequence(std::span<const Variable> xs);
inline Variables transpose_sequence(std::initializer_list<Variable> xs) {
  return transpose_sequence(std::span(xs.begin(), xs.size()));
}

}  // namespace catena::functions
