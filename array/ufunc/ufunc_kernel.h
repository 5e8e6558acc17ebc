#pragma once

// Included by the sources of ufunc kernels; each source registers a group of
// rows.

#include "catena/array/kernels/ufunc_table.h"
#include "catena/array/ufunc/elementwise_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

// The kernel of a functor that has its own for T.
template <class Op, class T>
using OwnUfuncLoop =
    ElementwiseLoop<Op, typename RowOf<Op>::template In<KernelType<Op, T>>,
                    typename RowOf<Op>::template Out<KernelType<Op, T>>>;

template <class Op, class T>
struct Loop<UfuncFamily, Op, T> : OwnUfuncLoop<KernelOp<Op, T>, T> {};

}  // namespace catena::kernels::CATENA_BACKEND
