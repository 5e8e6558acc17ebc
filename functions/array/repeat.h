#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// Repeats each slice of x along an axis, or without an axis each element of the
// flattened x. With a list, slice i is repeated repeats[i] times. Any dtype;
// gradients are summed over repetitions. Throws InvalidType when the axis is
// out of range; ValueError for a negative count or a list whose length is
// neither 1 nor the axis' extent.
Variable repeat(const Variable& x, int64_t repeats,
                const OptionalAxisOption& options = {});
Variable repeat(const Variable& x, std::span<const int64_t> repeats,
                const OptionalAxisOption& options = {});
inline Variable repeat(const Variable& x,
                       std::initializer_list<int64_t> repeats,
                       const OptionalAxisOption& options = {}) {
  return repeat(x, std::span(repeats.begin(), repeats.size()), options);
}
template <class = void>
Variable repeat(const Variable& x, int64_t repeats, std::optional<Axis> axis) {
  return repeat(x, repeats, {.axis = axis});
}
template <class = void>
Variable repeat(const Variable& x, std::span<const int64_t> repeats,
                std::optional<Axis> axis) {
  return repeat(x, repeats, {.axis = axis});
}
template <class = void>
Variable repeat(const Variable& x, std::initializer_list<int64_t> repeats,
                std::optional<Axis> axis) {
  return repeat(x, repeats, {.axis = axis});
}

}  // namespace catena::functions
