#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Throws InvalidType naming the function unless the inputs have the same
// floating dtype and shape (elementwise functions would broadcast) and, if
// given, `ndim` axes.
void check_same_shape(std::string_view function,
                      std::initializer_list<VariableRef> inputs,
                      std::span<const std::string_view> names, int ndim = -1);

}  // namespace catena::functions
