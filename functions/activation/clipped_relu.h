#pragma once

#include <concepts>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct ClippedReluOptions {
  NamedFieldsOnly keywords = {};
  double z = 20;
};

// y = min(max(x, 0), z), elementwise. x: any shape, floating dtype; otherwise
// InvalidType. NaN stays NaN. The gradient at the kinks is 0. Throws ValueError
// unless z > 0.
Variable clipped_relu(const Variable& x, const ClippedReluOptions& options);
inline Variable clipped_relu(const Variable& x) {
  return clipped_relu(x, ClippedReluOptions{});
}
Variable clipped_relu(const Variable& x, std::convertible_to<double> auto z) {
  return clipped_relu(x, {.z = static_cast<double>(z)});
}

// y = min(max(x, 0), 6), elementwise: clipped_relu with z = 6 (Krizhevsky,
// 2010, "Convolutional Deep Belief Networks on CIFAR-10").
Variable relu6(const Variable& x);

}  // namespace catena::functions
