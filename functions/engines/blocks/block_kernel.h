#pragma once

// Included by sources of block kernels, which register their functors with
// register_kernels<functions::BlockFamily>(Ops()).

#include "catena/array/kernels/kernel_definition.h"
#include "catena/functions/engines/blocks/block_args.h"
#ifdef __CUDACC__
#include "catena/functions/engines/blocks/block_launcher.cuh"
#else
#include "catena/functions/engines/blocks/block_loop.h"
#endif

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
struct Loop<functions::BlockFamily, Op, T> : BlockLoop<Op, T> {};

}  // namespace catena::kernels::CATENA_BACKEND
