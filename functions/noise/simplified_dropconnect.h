#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SimplifiedDropconnectOptions {
  NamedFieldsOnly keywords = {};
  // The probability that a weight is dropped.
  double ratio = 0.5;
  // If false, computes linear(x, W, b).
  bool train = true;
  // The weights to keep: bool, or x's dtype with nonzero elements for kept
  // weights; (N, out, in), or (out, in) for one mask for the whole batch. By
  // default drawn from the generator of x's device.
  Array mask = {};
  // Whether each row of x has its own mask.
  bool use_batchwise_mask = true;
  // If set, receives the mask that was used; undefined unless train.
  Array* return_mask = nullptr;
};

// linear(x, W, b) with weights dropped at random and the others scaled by 1 /
// (1 - ratio). x is (N, ...), whose axes after the first are flattened to `in`
// elements; W is (out, in), b (out,) or undefined; y is (N, out). All have the
// same floating dtype. Throws InvalidType when dtypes, shapes or the mask do
// not match; ValueError unless ratio is in [0, 1). With a mask per row, the
// mask takes N * out * in bytes, and a recorded gradient as many elements. (Wan
// et al., 2013, with the mean at prediction.)
Variable simplified_dropconnect(
    const Variable& x, const Variable& W, const Variable& b = {},
    const SimplifiedDropconnectOptions& options = {});

}  // namespace catena::functions
