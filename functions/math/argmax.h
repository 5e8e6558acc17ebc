#pragma once

#include <optional>

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The index of the first maximum along an axis, or of the first NaN if there is
// one; without an axis, the index into the flattened x. x is floating. The
// result is int32 and has no gradient. Throws InvalidType for an axis out of
// range or any other dtype, ValueError when the axis has no elements.
Variable argmax(const Variable& x, const OptionalAxisOption& options = {});
template <class = void>
Variable argmax(const Variable& x, std::optional<Axis> axis) {
  return argmax(x, {.axis = axis});
}

}  // namespace catena::functions
