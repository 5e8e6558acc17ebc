#pragma once

// Included by sources of cell kernels, which register their functors with
// register_kernels<functions::CellFamily>(Ops()).

#include "catena/array/kernels/kernel_definition.h"
#include "catena/functions/engines/cells/cell_args.h"
#ifdef __CUDACC__
#include "catena/functions/engines/cells/cell_launcher.cuh"
#else
#include "catena/functions/engines/cells/cell_loop.h"
#endif

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
struct Loop<functions::CellFamily, Op, T> : CellLoop<Op, T> {};

}  // namespace catena::kernels::CATENA_BACKEND
