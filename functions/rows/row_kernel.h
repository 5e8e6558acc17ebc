#pragma once

// What a file of row kernels includes: it instantiates
// functor_tables<functions::RowFamily>(Ops()) once, and each functor gets a
// kernel for every floating dtype and every backend.

#include "catena/functions/kernels/functor_tables.h"
#include "catena/functions/rows/row_args.h"
#ifdef __CUDACC__
#include "catena/functions/rows/row_launcher.cuh"
#else
#include "catena/functions/rows/row_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class Op, class T>
struct FunctorLoop<functions::RowFamily, Op, T> : RowLoop<Op, T> {};

}  // namespace catena::array::CATENA_BACKEND
