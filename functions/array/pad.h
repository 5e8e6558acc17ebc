#pragma once

#include <vector>

#include "catena/array/manipulation/pad.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// x in a larger array, with `width` places around it along every axis, or with
// a width for each axis ({{1, 1}, {0, 2}}), or one for all ({{0, 2}}). What the
// places hold is told by options.mode: numbers, or elements of x
// (array/manipulation/pad.h), whose gradients add up. (Chainer's gradient is
// right for constants alone.) Any dtype. ValueError for a negative width,
// another number of widths or constants than one or x.ndim, or a mode other
// than kConstant along an axis without elements.
Variable pad(const Variable& x, int64_t width,
             const array::PadOptions& options = {});
Variable pad(const Variable& x, const std::vector<array::PadWidth>& pad_width,
             const array::PadOptions& options = {});

}  // namespace catena::functions
