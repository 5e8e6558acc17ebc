#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// InvalidType naming the function unless the inputs are floating and of one
// dtype and shape, which is more than elementwise functions ask for. They have
// `ndim` axes, where that is given.
void check_same_shape(std::string_view function,
                      std::initializer_list<VariableRef> inputs,
                      std::span<const std::string_view> names, int ndim = -1);

}  // namespace catena::functions
