#pragma once

// What a file of cell kernels includes: it instantiates
// functor_tables<functions::CellFamily>(Ops()) once, and each functor gets a
// kernel for every floating dtype and every backend.

#include "catena/functions/cells/cell_args.h"
#include "catena/functions/kernels/functor_tables.h"
#ifdef __CUDACC__
#include "catena/functions/cells/cell_launcher.cuh"
#else
#include "catena/functions/cells/cell_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class Op, class T>
struct FunctorLoop<functions::CellFamily, Op, T> : CellLoop<Op, T> {};

}  // namespace catena::array::CATENA_BACKEND
