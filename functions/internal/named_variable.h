#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// An argument and its name in error messages.
struct NamedVariable {
  std::string_view name;
  const Variable& variable;
};

}  // namespace catena::functions
