#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct ShiftOptions {
  Spatial ksize = 3;
  Spatial dilate = 1;
};

// Moves the channels of x (N, C, h, w) in different directions, as depthwise
// convolutions with a single 1 in each kernel do, but without parameters (Wu et
// al., 2018, "Shift: A Zero FLOP, Zero Parameter Alternative to Spatial
// Convolutions"). The channels are split into kh * kw groups of C / (kh * kw),
// and what is left belongs to the last. Group (i, j) sees what is (kh / 2 - i)
// * dh rows and (kw / 2 - j) * dw columns away, 0 outside of x; the middle
// element's group has changed places with the last one, so that what is left
// stays in place. x floating, y like x.
// InvalidType unless x has four axes and a channel for each group, ValueError
// for a ksize or dilate below 1.
Variable shift(const Variable& x, const ShiftOptions& options = {});

}  // namespace catena::functions
