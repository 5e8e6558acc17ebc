#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct GeluOptions {
  NamedFieldsOnly keywords = {};
  // Whether the normal distribution is approximated with tanh, as GPT-2 and
  // Gemma have it.
  bool tanh = false;
};

// Gaussian error linear unit, elementwise: y = x P(Z <= x) where Z is normally
// distributed with mean 0 and variance 1, or with `tanh`
//
//   y = x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
//
// x: any shape, floating dtype; otherwise InvalidType.
//
// Hendrycks, Gimpel: Gaussian Error Linear Units, 2016.
Variable gelu(const Variable& x, const GeluOptions& options = {});

}  // namespace catena::functions
