#pragma once

#include <vector>

#include "catena/array/manipulation/pad.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// Pads x with `width` elements at both ends of every axis, or with before and
// after widths per axis ({{1, 1}, {0, 2}}) or one such pair for all axes ({{0,
// 2}}). options.mode chooses the padding: constants, or elements of x
// (array/manipulation/pad.h), whose gradients are summed. (Chainer's gradient
// is correct for constants only.) Any dtype. Throws ValueError for a negative
// width, a number of widths or constants other than one or x.ndim, or a mode
// other than kConstant along an axis without elements.
Variable pad(const Variable& x, int64_t width,
             const array::PadOptions& options = {});
Variable pad(const Variable& x, const std::vector<array::PadWidth>& pad_width,
             const array::PadOptions& options = {});

}  // namespace catena::functions
