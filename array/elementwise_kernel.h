#pragma once

// What a file of elementwise kernels includes. It is compiled by the host's
// compiler once per instruction set and by nvcc for CUDA; CATENA_BACKEND names
// the namespace of the compilation, so that no two share a symbol.

#include <array>

#include "catena/array/dtype.h"
#include "catena/array/elementwise.h"
#include "catena/array/kernel_tables.h"
#include "catena/array/kernel_type.h"
#ifdef __CUDACC__
#include "catena/cuda/elementwise_launcher.cuh"
#else
#include "catena/array/cpu/elementwise_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

// The table with the functor's kernel for each type T of Types, whose operands
// have the types In<T> and Out<T>.
template <class Op, template <class> class In, template <class> class Out,
          class... Ts>
constexpr ElementwiseTable elementwise_table(TypeList<Ts...>) {
  ElementwiseTable table;
  (table.set(dtype_of<Ts>, ElementwiseLoop<Op, In<KernelType<Op, Ts>>,
                                           Out<KernelType<Op, Ts>>>::run),
   ...);
  return table;
}

// Refers to the tables of the keys, and so instantiates them. Under nvcc it
// also puts them into their slots, when the object that calls it is linked.
template <class... Keys>
constexpr auto instantiate_kernels() {
#ifdef __CUDACC__
  (elementwise_slot<Keys>.set_cuda(&Kernels<Keys>::table), ...);
#endif
  return std::array{&Kernels<Keys>::table...};
}

// The operand lists that most functors have.
template <class T>
using Nullary = TypeList<>;
template <class T>
using Unary = TypeList<T>;
template <class T>
using Binary = TypeList<T, T>;
template <class T>
using Same = TypeList<T>;
template <class T>
using Bool = TypeList<bool>;

}  // namespace catena::array::CATENA_BACKEND
