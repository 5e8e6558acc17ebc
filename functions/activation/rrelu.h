#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct RReluOptions {
  // Between these the slopes are drawn.
  double l = 1.0 / 8;
  double u = 1.0 / 3;
  // The slopes, of x's shape and dtype. Drawn from the generator of x's device
  // when undefined.
  Array r = {};
  // Where the slopes are put that were used; undefined in test mode.
  Array* return_r = nullptr;
};

// Randomized leaky ReLU: y = x, or r x where x < 0, elementwise, with r uniform
// on [l, u) while config().train and (l + u) / 2 else. Any shape; x floating.
// InvalidType for another dtype or an r that is not like x, ValueError unless
// 0 <= l < u < 1. (Xu et al., 2015.)
Variable rrelu(const Variable& x, const RReluOptions& options = {});

}  // namespace catena::functions
