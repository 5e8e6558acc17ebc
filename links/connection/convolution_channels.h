#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/shape.h"
#include "catena/autograd/variable.h"

namespace catena::links {

// What links with filters have in common.

// ValueError naming the link unless the channels are positive and multiples of
// groups, which is positive too.
void check_channels(std::string_view link, std::optional<int64_t> in_channels,
                    int64_t out_channels, int64_t groups = 1);

// The channels of x (N, C, d...), to make a W that waits for them. InvalidType
// unless x has `ndim` spatial axes and groups divides C.
int64_t channels_of(std::string_view link, const Variable& x, int ndim,
                    int64_t groups = 1);

// (first, second, k...): the shape of W.
Shape filter_shape(int64_t first, int64_t second, const Shape& ksize);

}  // namespace catena::links
