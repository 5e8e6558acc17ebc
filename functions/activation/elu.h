#pragma once

#include <concepts>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct EluOptions {
  NamedFieldsOnly keywords = {};
  double alpha = 1;
};

// y = x, or alpha (exp(x) - 1) where x < 0, elementwise. x: any shape, floating
// dtype; otherwise InvalidType. The gradient at 0 is the one for x > 0.
// (Clevert et al., 2015.)
Variable elu(const Variable& x, const EluOptions& options);
inline Variable elu(const Variable& x) { return elu(x, EluOptions{}); }
Variable elu(const Variable& x, std::convertible_to<double> auto alpha) {
  return elu(x, {.alpha = static_cast<double>(alpha)});
}

}  // namespace catena::functions
