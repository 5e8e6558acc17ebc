#pragma once

// What a file of span kernels includes: it instantiates
// functor_tables<functions::SpanFamily>(Ops()) once, and each functor gets a
// kernel for every floating dtype and every backend.

#include "catena/functions/kernels/functor_tables.h"
#include "catena/functions/spans/span_args.h"
#ifdef __CUDACC__
#include "catena/functions/spans/span_launcher.cuh"
#else
#include "catena/functions/spans/span_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class Op, class T>
struct FunctorLoop<functions::SpanFamily, Op, T> : SpanLoop<Op, T> {};

}  // namespace catena::array::CATENA_BACKEND
