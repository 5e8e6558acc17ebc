#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct RReluOptions {
  NamedFieldsOnly keywords = {};
  // Lower and upper bounds of the slopes.
  double l = 1.0 / 8;
  double u = 1.0 / 3;
  // The slopes, with x's shape and dtype. Drawn from the generator of x's
  // device when undefined.
  Array r = {};
  // If set, receives the slopes that were used; undefined in test mode.
  Array* return_r = nullptr;
};

// Randomized leaky ReLU: y = x, or r x where x < 0, elementwise, with r uniform
// on [l, u) if config().train, else (l + u) / 2. x: any shape, floating dtype.
// Throws InvalidType for any other dtype or an r whose shape or dtype differs
// from x's, ValueError unless 0 <= l < u < 1. (Xu et al., 2015.)
Variable rrelu(const Variable& x, const RReluOptions& options = {});

}  // namespace catena::functions
