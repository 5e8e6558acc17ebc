#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/autograd/variable.h"

// Joins variables along an axis and cuts them apart again: the basis of concat,
// stack, split_axis etc. Each is the other's gradient.
namespace catena::functions {

// Whether to join along an existing axis of the parts or a new one.
enum class JoinAxis : uint8_t { kExisting, kNew };

// Joins the variables along `axis` of the result. `label`, a literal, names the
// function in error messages. Throws InvalidType when there are no variables,
// the axis is out of range, or dtypes or other extents differ.
Variable join(std::string_view label, std::span<const Variable> xs,
              int64_t axis, JoinAxis kind = JoinAxis::kExisting);

// Cuts x along `axis` into views with the given extents, whose sum must be x's
// extent.
Variables cut(std::string_view label, const Variable& x, int64_t axis,
              std::vector<int64_t> extents);
// Returns x[..., i, ...] for each i along the axis.
Variables cut_apart(std::string_view label, const Variable& x, int64_t axis);

}  // namespace catena::functions
