#pragma once

// What a file of block kernels includes: it instantiates
// functor_tables<functions::BlockFamily>(Ops()) once, and each functor gets a
// kernel for every floating dtype and every backend.

#include "catena/functions/blocks/block_args.h"
#include "catena/functions/kernels/functor_tables.h"
#ifdef __CUDACC__
#include "catena/functions/blocks/block_launcher.cuh"
#else
#include "catena/functions/blocks/block_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class Op, class T>
struct FunctorLoop<functions::BlockFamily, Op, T> : BlockLoop<Op, T> {};

}  // namespace catena::array::CATENA_BACKEND
