#pragma once

#include <concepts>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct DropoutOptions {
  NamedFieldsOnly keywords = {};
  // The probability that an element is dropped.
  double ratio = 0.5;
  // The factors of x, 0 or 1 / (1 - ratio), with x's shape and dtype. By
  // default drawn from the generator of x's device.
  Array mask = {};
  // If set, receives the mask that was used; undefined in test mode.
  Array* return_mask = nullptr;
};

// Drops random elements of x and scales the others by 1 / (1 - ratio), which
// preserves the mean, if config().train; else returns x itself. x is floating.
// Throws InvalidType for any other dtype or a mask whose shape or dtype differs
// from x's, ValueError unless ratio is in [0, 1).
Variable dropout(const Variable& x, const DropoutOptions& options);
inline Variable dropout(const Variable& x) {
  return dropout(x, DropoutOptions{});
}
Variable dropout(const Variable& x, std::convertible_to<double> auto ratio) {
  return dropout(x, {.ratio = static_cast<double>(ratio)});
}

}  // namespace catena::functions
