#pragma once

// Included by sources of row kernels, which register their functors with
// register_kernels<functions::RowFamily>(Ops()).

#include "catena/array/kernels/kernel_definition.h"
#include "catena/functions/engines/rows/row_args.h"
#ifdef __CUDACC__
#include "catena/functions/engines/rows/row_launcher.cuh"
#else
#include "catena/functions/engines/rows/row_loop.h"
#endif

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
struct Loop<functions::RowFamily, Op, T> : RowLoop<Op, T> {};

}  // namespace catena::kernels::CATENA_BACKEND
