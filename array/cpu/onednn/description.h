#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "catena/array/array.h"

// Arrays as oneDNN describes them. Only what links this target links oneDNN.
namespace catena::cpu::onednn {

// Whether oneDNN computes in the dtype at full speed on this machine: float32
// always, bfloat16 where there are instructions for it.
bool computes_in(Dtype dtype);

// DtypeError for a dtype that oneDNN lacks.
dnnl::memory::data_type data_type(Dtype dtype);

// Elements in C order, images (N, C, d...) with their channels side by side,
// and whatever order a primitive likes best.
dnnl::memory::desc describe(const Shape& shape, Dtype dtype);
dnnl::memory::desc describe_channels_last(const Shape& shape, Dtype dtype);
dnnl::memory::desc describe_any(const Shape& shape, Dtype dtype);

// An array as it lies. Its strides must be positive multiples of the items'
// size, as dense() sees to.
dnnl::memory::desc describe(const Array& a);

// The array itself when its elements fill its memory in some order of the axes
// (C order, channels last, ...), else a copy in C order.
Array dense(const Array& a);

}  // namespace catena::cpu::onednn
