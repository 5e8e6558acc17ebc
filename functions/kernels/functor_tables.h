#pragma once

// What the kernel.h of a family of functors includes (functor_slot.h): kernels
// for every floating dtype and every backend. The family says which loop runs
// its functors by a specialization:
//
//   template <class Op, class T>
//   struct FunctorLoop<functions::RowFamily, Op, T> : RowLoop<Op, T> {};

#include <array>

#include "catena/array/dtype.h"
#include "catena/functions/kernels/functor_slot.h"

namespace catena::array::CATENA_BACKEND {

// Has a static function `run` of the type Family::Kernel.
template <class Family, class Op, class T>
struct FunctorLoop;

template <class Family, class Op, class... Ts>
constexpr auto functor_table(TypeList<Ts...>) {
  DtypeTable<typename Family::Kernel> table;
  (table.set(dtype_of<Ts>, FunctorLoop<Family, Op, Ts>::run), ...);
  return table;
}

template <class Family, class Op>
const DtypeTable<typename Family::Kernel> FunctorKernels<Family, Op>::table =
    functor_table<Family, Op>(FloatTypes());

// Refers to every table of the functors, and so instantiates them; on CUDA it
// installs them too. A file of kernels calls it once.
template <class Family, class... Ops>
constexpr auto functor_tables(TypeList<Ops...>) {
#ifdef __CUDACC__
  (functions::functor_slot<Family, Ops>.set_cuda(
       &FunctorKernels<Family, Ops>::table),
   ...);
#endif
  return std::array{&FunctorKernels<Family, Ops>::table...};
}

}  // namespace catena::array::CATENA_BACKEND
