#pragma once

// What a file of span kernels includes: it instantiates span_tables(Ops())
// once, and each functor gets a kernel for every floating dtype and every
// backend.

#include <array>

#include "catena/array/dtype.h"
#include "catena/functions/spans/span_args.h"
#ifdef __CUDACC__
#include "catena/functions/spans/span_launcher.cuh"
#else
#include "catena/functions/spans/span_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class Op, class... Ts>
constexpr functions::SpanTable span_table(TypeList<Ts...>) {
  functions::SpanTable table;
  (table.set(dtype_of<Ts>, SpanLoop<Op, Ts>::run), ...);
  return table;
}

template <class Op>
const functions::SpanTable SpanKernels<Op>::table =
    span_table<Op>(FloatTypes());

// Refers to every table of the functors, and so instantiates them; on CUDA it
// installs them too.
template <class... Ops>
constexpr auto span_tables(TypeList<Ops...>) {
#ifdef __CUDACC__
  (functions::span_slot<Ops>.set_cuda(&SpanKernels<Ops>::table), ...);
#endif
  return std::array{&SpanKernels<Ops>::table...};
}

}  // namespace catena::array::CATENA_BACKEND
