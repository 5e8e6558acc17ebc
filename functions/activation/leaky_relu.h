#pragma once

#include <concepts>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct LeakyReluOptions {
  NamedFieldsOnly keywords = {};
  double slope = 0.2;
};

// y = x, or slope x where x < 0, elementwise. x: any shape, floating dtype;
// otherwise InvalidType. The gradient at 0 is the one for x > 0. (Maas et al.,
// 2013.)
Variable leaky_relu(const Variable& x, const LeakyReluOptions& options);
inline Variable leaky_relu(const Variable& x) {
  return leaky_relu(x, LeakyReluOptions{});
}
Variable leaky_relu(const Variable& x, std::convertible_to<double> auto slope) {
  return leaky_relu(x, {.slope = static_cast<double>(slope)});
}

}  // namespace catena::functions
