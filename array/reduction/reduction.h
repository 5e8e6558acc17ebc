#pragma once

#include "catena/array/array.h"
#include "catena/array/kernels/reduction_args.h"

// Reductions from routine to kernel. A routine resolves dtypes and axes;
// plan_reduction merges the axes into the fewest loops; the device's kernel
// runs them.
namespace catena::array {

// Plans the reduction of `input` over `axes` (normalized, sorted) into
// `output`, which is contiguous with one element per index of the kept axes.
// `ordered` preserves the order of elements along the reduced axis; there must
// be exactly one.
void plan_reduction(const Array& input, const Axes& axes, const Array& output,
                    bool ordered, ReduceArgs& args);

}  // namespace catena::array
