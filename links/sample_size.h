#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/autograd/variable.h"

// The size of what a link takes at a time.
namespace catena::links {

// The shape of a link's parameters for samples of that size, unless it is to be
// taken from the first. Throws ValueError when it is not positive.
inline std::optional<Shape> shape_of_sample(std::string_view link,
                                            std::optional<int64_t> size) {
  if (size.value_or(1) < 1) {
    raise<ValueError>(link, ": expected a positive size, got ", *size);
  }
  return size ? std::optional(Shape{*size}) : std::nullopt;
}

// The number of elements along x's axes from `first` on.
inline int64_t sample_size(const Variable& x, int64_t first) {
  int64_t size = 1;
  for (auto axis = static_cast<int>(first); axis < x.ndim(); ++axis) {
    size *= x.shape()[axis];
  }
  return size;
}

}  // namespace catena::links
