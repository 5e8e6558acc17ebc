#pragma once

// Included by sources of span kernels, which register their functors with
// register_kernels<functions::SpanFamily>(Ops()).

#include "catena/array/kernels/kernel_definition.h"
#include "catena/functions/engines/spans/span_args.h"
#ifdef __CUDACC__
#include "catena/functions/engines/spans/span_launcher.cuh"
#else
#include "catena/functions/engines/spans/span_loop.h"
#endif

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
struct Loop<functions::SpanFamily, Op, T> : SpanLoop<Op, T> {};

}  // namespace catena::kernels::CATENA_BACKEND
