#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/autograd/variable.h"

// Joining variables along an axis and cutting one up again, on which concat,
// stack, split_axis and the like stand. Each is the other's gradient.
namespace catena::functions {

// Along an axis that the parts have, or along a new one that they lack.
enum class JoinAxis : uint8_t { kExisting, kNew };

// The variables one after another along `axis` of the result. Checks report as
// the function `label`, a literal. InvalidType when there is none, the axis is
// out of range, or dtypes or other extents differ.
Variable join(std::string_view label, std::span<const Variable> xs,
              int64_t axis, JoinAxis kind = JoinAxis::kExisting);

// The parts of those extents along `axis`, which add up to that of x, as views.
Variables cut(std::string_view label, const Variable& x, int64_t axis,
              std::vector<int64_t> extents);
// The x[..., i, ...] for each i of the axis.
Variables cut_apart(std::string_view label, const Variable& x, int64_t axis);

}  // namespace catena::functions
