#pragma once

#include <cstdint>
#include <string_view>

#include "catena/autograd/variable.h"
#include "catena/functions/internal/named_variable.h"

namespace catena::functions {

// y with axes of extent 1 around its own, such that these meet the axes of x
// from `axis` on when x and y broadcast, as in Caffe; y itself where they meet
// anyway. InvalidType, in the name of `function`, unless both are floating, of
// one dtype, and y has the shape of those axes.
Variable aligned(std::string_view function, const Variable& x,
                 const NamedVariable& y, int64_t axis);

}  // namespace catena::functions
