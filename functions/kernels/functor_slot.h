#pragma once

#include "catena/array/dtype.h"
#include "catena/array/kernel_slot.h"

// The slots of families of functors: rows/, cells/, blocks/ and spans/ each run
// functors in a loop of their own. A family is a struct that names its kernels'
// type:
//
//   struct RowFamily {
//     using Kernel = void(const RowArgs& args);
//   };
//
// Where each compilation of the kernels puts its tables, as in
// array/kernel_tables.h:
namespace catena::array {

namespace cpu_baseline {
template <class Family, class Op>
struct FunctorKernels {
  static const DtypeTable<typename Family::Kernel> table;
};
}  // namespace cpu_baseline
#ifndef CATENA_ONLY_CPU_BASELINE
namespace cpu_avx2 {
template <class Family, class Op>
struct FunctorKernels {
  static const DtypeTable<typename Family::Kernel> table;
};
}  // namespace cpu_avx2
namespace cpu_avx512 {
template <class Family, class Op>
struct FunctorKernels {
  static const DtypeTable<typename Family::Kernel> table;
};
}  // namespace cpu_avx512
#endif
namespace cuda {
template <class Family, class Op>
struct FunctorKernels {
  static const DtypeTable<typename Family::Kernel> table;
};
}  // namespace cuda

}  // namespace catena::array

namespace catena::functions {

// The slot of a functor, which Op::kName names. CUDA's table is installed when
// its library is linked.
template <class Family, class Op>
inline constinit KernelSlot<DtypeTable<typename Family::Kernel>> functor_slot =
    {Op::kName,
     {&array::cpu_baseline::FunctorKernels<Family, Op>::table,
      &array::cpu_avx2::FunctorKernels<Family, Op>::table,
      &array::cpu_avx512::FunctorKernels<Family, Op>::table, nullptr}};

}  // namespace catena::functions
