#pragma once

// Included by the sources of elementwise kernels, with the header of their
// family (kernel_definition.h). ElementwiseLoop<Op, In, Out> runs the functor
// Op over operands of the types In and Out, lists of storage types.

#include <cstddef>
#include <utility>

#include "catena/array/kernels/elementwise_args.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/kernels/kernel_type.h"
#ifdef __CUDACC__
#include "catena/array/cuda/elementwise_launcher.cuh"
#else
#include "catena/array/cpu/elementwise_loop.h"
#endif

namespace catena::kernels::CATENA_BACKEND {

template <class T, size_t>
using Itself = T;
template <class T, size_t... i>
constexpr TypeList<Itself<T, i>...> repeat(std::index_sequence<i...>) {
  return {};
}

// A list of n Ts.
template <class T, size_t n>
using Repeated = decltype(repeat<T>(std::make_index_sequence<n>()));

}  // namespace catena::kernels::CATENA_BACKEND
