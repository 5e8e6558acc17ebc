#pragma once

#include "catena/array/elementwise.h"
#include "catena/array/kernel_slot.h"

// Where each compilation of the kernels puts its tables, and the slots that
// name them. Key is a type that stands for the operation: a functor, a row.
namespace catena::array {

namespace cpu_baseline {
template <class Key>
struct Kernels {
  static const ElementwiseTable table;
};
}  // namespace cpu_baseline
#ifndef CATENA_ONLY_CPU_BASELINE
namespace cpu_avx2 {
template <class Key>
struct Kernels {
  static const ElementwiseTable table;
};
}  // namespace cpu_avx2
namespace cpu_avx512 {
template <class Key>
struct Kernels {
  static const ElementwiseTable table;
};
}  // namespace cpu_avx512
#endif
namespace cuda {
template <class Key>
struct Kernels {
  static const ElementwiseTable table;
};
}  // namespace cuda

// The slot of the elementwise operation that Key stands for; Key::kName names
// it. CUDA's table is installed when its library is linked.
template <class Key>
inline constinit KernelSlot<ElementwiseTable> elementwise_slot = {
    Key::kName,
    {&cpu_baseline::Kernels<Key>::table, &cpu_avx2::Kernels<Key>::table,
     &cpu_avx512::Kernels<Key>::table, nullptr}};

}  // namespace catena::array
