#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Each slice of x along an axis several times in a row; each element of the
// flattened x without an axis. With a list, slice i repeats[i] times. Any
// dtype; the gradients of what was repeated add up. InvalidType when the axis
// is out of range; ValueError for a negative number or a list that is neither
// as long as the axis nor has one entry.
Variable repeat(const Variable& x, int64_t repeats,
                std::optional<int64_t> axis = std::nullopt);
Variable repeat(const Variable& x, std::span<const int64_t> repeats,
                std::optional<int64_t> axis = std::nullopt);
inline Variable repeat(const Variable& x,
                       std::initializer_list<int64_t> repeats,
                       std::optional<int64_t> axis = std::nullopt) {
  return repeat(x, std::span(repeats.begin(), repeats.size()), axis);
}

}  // namespace catena::functions
