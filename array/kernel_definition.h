#pragma once

// What the source of kernels includes (kernel_slot.h). It is compiled for each
// target, with CATENA_BACKEND naming the target's namespace, in which all of it
// must lie. A family says which loop runs the functor Op over elements of T,
//
//   template <class Op, class T>
//   struct Loop<functions::RowFamily, Op, T> : RowLoop<Op, T> {};
//
// and which dtypes its operations are offered in,
//
//   template <class Op>
//   using Dtypes = FloatTypes;  // a member of the family
//
// Then one line makes the kernels of a list of functors:
//
//   extern const auto kSoftmaxKernels =
//       register_kernels<functions::RowFamily>(TypeList<SoftmaxOp>());
//
// An operation that stands alone is its own family: Loop<Gemm, Gemm, T>, and
// register_kernels<Gemm>(). Where its table is no DtypeTable it defines that
// itself:
//
//   template <>
//   constinit const TransposeLines Kernels<TransposeLines>::table = {...};

#include <array>

#include "catena/array/dtype.h"
#include "catena/array/kernel_slot.h"

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

// Refers to the tables, and so instantiates them. Compiled for CUDA, it puts
// them into their slots when the object that calls it is linked.
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
