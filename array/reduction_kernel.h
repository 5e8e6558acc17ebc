#pragma once

// What a file of reduction kernels includes: it instantiates the tables of a
// group of rows once, by reduction_tables(Group()). It is compiled by the
// host's compiler once per instruction set and by nvcc for CUDA: either header
// defines ReductionLoop<Op, T>, whose static run(const ReduceArgs&) is the
// kernel of the functor Op for an input of storage type T.

#include <array>

#include "catena/array/kernel_type.h"
#include "catena/array/reduction_table.h"
#include "catena/array/ufunc_table.h"
#ifdef __CUDACC__
#include "catena/cuda/reduction_launcher.cuh"
#else
#include "catena/array/cpu/reduction_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class Op, class... Ts>
constexpr ReduceTable reduction_table(TypeList<Ts...>) {
  ReduceTable table;
  (table.set(dtype_of<Ts>, ReductionLoop<Op, KernelType<Op, Ts>>::run), ...);
  return table;
}

template <class Op>
const ReduceTable Reductions<Op>::table =
    reduction_table<Op>(typename FindRow<Op, ReductionTable>::type::Dtypes());

// On CUDA it installs the tables too.
template <class... Rows>
constexpr auto reduction_tables(TypeList<Rows...>) {
#ifdef __CUDACC__
  (reduction_slot<typename Rows::Op>.set_cuda(
       &Reductions<typename Rows::Op>::table),
   ...);
#endif
  return std::array{&Reductions<typename Rows::Op>::table...};
}

}  // namespace catena::array::CATENA_BACKEND
