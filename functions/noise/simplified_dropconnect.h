#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SimplifiedDropconnectOptions {
  // The probability with which a weight is dropped.
  double ratio = 0.5;
  // Without it this is linear(x, W, b).
  bool train = true;
  // Which weights are kept, bool, or of x's dtype and not 0 for
  // those: (N, out, in), or (out, in) for one mask for the whole batch. Drawn
  // from the generator of x's device when undefined.
  Array mask = {};
  // Whether each row of x has a mask of its own.
  bool use_batchwise_mask = true;
  // Where the mask is put that was used; undefined without train.
  Array* return_mask = nullptr;
};

// linear(x, W, b) with weights dropped at random and the others scaled by
// 1 / (1 - ratio). x is (N, ...), whose axes after the first are flattened to
// in; W is (out, in) and b (out,) or absent; y is (N, out). Floating, of one
// dtype. InvalidType, also for a mask that does not fit; ValueError unless
// ratio is in [0, 1). A mask for each row takes N * out * in bytes, and
// a gradient that is recorded as many numbers. (Wan et al., 2013, with the mean
// at prediction.)
Variable simplified_dropconnect(
    const Variable& x, const Variable& W, const Variable& b = {},
    const SimplifiedDropconnectOptions& options = {});

}  // namespace catena::functions
