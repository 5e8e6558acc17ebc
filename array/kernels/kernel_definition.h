#pragma once

// Included by kernel sources (see kernel_slot.h). A kernel source is compiled
// once per target; all its code must be in the target's namespace,
// CATENA_BACKEND. A family defines the loop that runs the functor Op over
// elements of T,
//
//   template <class Op, class T>
//   struct Loop<functions::RowFamily, Op, T> : RowLoop<Op, T> {};
//
// and the dtypes that its operations support,
//
//   template <class Op>
//   using Dtypes = FloatTypes;  // a member of the family
//
// Then one line instantiates the kernels of a list of functors:
//
//   extern const auto kSoftmaxKernels =
//       register_kernels<functions::RowFamily>(TypeList<SoftmaxOp>());
//
// A single operation is its own family: Loop<Gemm, Gemm, T> and
// register_kernels<Gemm>(). If its table is not a DtypeTable, it defines the
// table itself:
//
//   template <>
//   constinit const TransposeLines Kernels<TransposeLines>::table = {...};

#include <array>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_slot.h"

namespace catena::kernels {

namespace CATENA_BACKEND {

// Has a static `run` of the type Family::Kernel.
template <class Family, class Op, class T>
struct Loop;

template <class Family, class Op, class... Ts>
constexpr typename Family::Table make_table(TypeList<Ts...>) {
  typename Family::Table table;
  (table.set(dtype_of<Ts>, Loop<Family, Op, Ts>::run), ...);
  return table;
}

template <class Family, class Op>
const typename Family::Table Kernels<Family, Op>::table =
    make_table<Family, Op>(typename Family::template Dtypes<Op>());

// Refers to the tables, which instantiates them. Compiled for CUDA, it also
// installs them in their slots during static initialization.
template <class Family, class... Ops>
constexpr auto register_kernels(TypeList<Ops...>) {
#ifdef __CUDACC__
  (kernel_slot<Family, Ops>.set_cuda(&Kernels<Family, Ops>::table), ...);
#endif
  return std::array{&Kernels<Family, Ops>::table...};
}
template <class Family>
constexpr auto register_kernels() {
  return register_kernels<Family>(TypeList<Family>());
}

}  // namespace CATENA_BACKEND
}  // namespace catena::kernels
