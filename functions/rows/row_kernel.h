#pragma once

// What a file of row kernels includes: it instantiates row_tables(Ops()) once,
// and each functor gets a kernel for every floating dtype and every backend.

#include <array>

#include "catena/array/dtype.h"
#include "catena/functions/rows/row_args.h"
#ifdef __CUDACC__
#include "catena/functions/rows/row_launcher.cuh"
#else
#include "catena/functions/rows/row_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class Op, class... Ts>
constexpr functions::RowTable row_table(TypeList<Ts...>) {
  functions::RowTable table;
  (table.set(dtype_of<Ts>, RowLoop<Op, Ts>::run), ...);
  return table;
}

template <class Op>
const functions::RowTable RowKernels<Op>::table = row_table<Op>(FloatTypes());

// Refers to every table of the functors, and so instantiates them; on CUDA it
// installs them too.
template <class... Ops>
constexpr auto row_tables(TypeList<Ops...>) {
#ifdef __CUDACC__
  (functions::row_slot<Ops>.set_cuda(&RowKernels<Ops>::table), ...);
#endif
  return std::array{&RowKernels<Ops>::table...};
}

}  // namespace catena::array::CATENA_BACKEND
