#pragma once

// What a file of block kernels includes: it instantiates block_tables(Ops())
// once, and each functor gets a kernel for every floating dtype and backend.

#include <array>

#include "catena/array/dtype.h"
#include "catena/functions/blocks/block_args.h"
#ifdef __CUDACC__
#include "catena/functions/blocks/block_launcher.cuh"
#else
#include "catena/functions/blocks/block_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class Op, class... Ts>
constexpr functions::BlockTable block_table(TypeList<Ts...>) {
  functions::BlockTable table;
  (table.set(dtype_of<Ts>, BlockLoop<Op, Ts>::run), ...);
  return table;
}

template <class Op>
const functions::BlockTable BlockKernels<Op>::table =
    block_table<Op>(FloatTypes());

// Refers to every table of the functors, and so instantiates them; on CUDA it
// installs them too.
template <class... Ops>
constexpr auto block_tables(TypeList<Ops...>) {
#ifdef __CUDACC__
  (functions::block_slot<Ops>.set_cuda(&BlockKernels<Ops>::table), ...);
#endif
  return std::array{&BlockKernels<Ops>::table...};
}

}  // namespace catena::array::CATENA_BACKEND
