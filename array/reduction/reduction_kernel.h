#pragma once

// Included by the sources of reduction kernels; each source registers a group
// of rows. Either header below defines ReductionLoop<Op, T>, whose static
// run(const ReduceArgs&) is the kernel of the functor Op for an input of
// storage type T.

#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/kernels/kernel_type.h"
#include "catena/array/kernels/reduction_table.h"
#ifdef __CUDACC__
#include "catena/array/cuda/reduction_launcher.cuh"
#else
#include "catena/array/cpu/reduction_loop.h"
#endif

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
struct Loop<ReductionFamily, Op, T> : ReductionLoop<Op, KernelType<Op, T>> {};

}  // namespace catena::kernels::CATENA_BACKEND
