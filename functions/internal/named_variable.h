#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// An argument and what error messages call it.
struct NamedVariable {
  std::string_view name;
  const Variable& variable;
};

}  // namespace catena::functions
