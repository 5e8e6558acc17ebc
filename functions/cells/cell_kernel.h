#pragma once

// What a file of cell kernels includes: it instantiates cell_tables(Ops())
// once, and each functor gets a kernel for every floating dtype and every
// backend.

#include <array>

#include "catena/array/dtype.h"
#include "catena/functions/cells/cell_args.h"
#ifdef __CUDACC__
#include "catena/functions/cells/cell_launcher.cuh"
#else
#include "catena/functions/cells/cell_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class Op, class... Ts>
constexpr functions::CellTable cell_table(TypeList<Ts...>) {
  functions::CellTable table;
  (table.set(dtype_of<Ts>, CellLoop<Op, Ts>::run), ...);
  return table;
}

template <class Op>
const functions::CellTable CellKernels<Op>::table =
    cell_table<Op>(FloatTypes());

// Refers to every table of the functors, and so instantiates them; on CUDA it
// installs them too.
template <class... Ops>
constexpr auto cell_tables(TypeList<Ops...>) {
#ifdef __CUDACC__
  (functions::cell_slot<Ops>.set_cuda(&CellKernels<Ops>::table), ...);
#endif
  return std::array{&CellKernels<Ops>::table...};
}

}  // namespace catena::array::CATENA_BACKEND
