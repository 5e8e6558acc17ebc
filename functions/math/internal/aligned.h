#pragma once

#include <cstdint>
#include <string_view>

#include "catena/autograd/variable.h"
#include "catena/functions/internal/named_variable.h"

namespace catena::functions {

// y reshaped with axes of extent 1, such that it broadcasts along x's axes from
// `axis` on, as in Caffe; y itself if no reshape is needed. Throws InvalidType
// naming `function` unless both have the same floating dtype and y's shape
// matches those axes.
Variable aligned(std::string_view function, const Variable& x,
                 const NamedVariable& y, int64_t axis);

}  // namespace catena::functions
