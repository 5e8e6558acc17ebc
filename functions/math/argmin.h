#pragma once

#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The position along an axis of the first element that is the smallest, of the
// first NaN where there is one; without an axis, the position in the flattened
// x. x floating. int32, without a gradient. InvalidType for an axis out of
// range or another dtype, ValueError when the axis has no elements.
Variable argmin(const Variable& x, std::optional<int64_t> axis = std::nullopt);

}  // namespace catena::functions
