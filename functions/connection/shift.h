#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct ShiftOptions {
  NamedFieldsOnly keywords = {};
  Spatial ksize = 3;
  Spatial dilate = 1;
};

// Shifts the channels of x (N, C, h, w) in different directions, like a
// depthwise convolution whose kernels each contain a single 1, but without
// parameters (Wu et al., 2018, "Shift: A Zero FLOP, Zero Parameter Alternative
// to Spatial Convolutions"). The channels are split into kh * kw groups of C /
// (kh * kw); the remainder belongs to the last group. Group (i, j) reads x (kh
// / 2 - i) * dh rows and (kw / 2 - j) * dw columns away, 0 outside x; the
// centre's group is swapped with the last one, so that the remainder is not
// shifted. x is floating; y has x's shape and dtype. Throws InvalidType unless
// x has four axes and at least one channel per group, ValueError for a ksize or
// dilate below 1.
Variable shift(const Variable& x, const ShiftOptions& options = {});

}  // namespace catena::functions
