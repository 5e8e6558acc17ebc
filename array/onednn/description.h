#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "catena/array/array.h"

// oneDNN memory descriptors of arrays. Only users of this target link oneDNN.
namespace catena::cpu::onednn {

// Whether oneDNN supports the dtype at full speed on this machine: float32
// always, bfloat16 if the processor has instructions for it.
bool computes_in(Dtype dtype);

// Throws DtypeError for a dtype that oneDNN lacks.
dnnl::memory::data_type data_type(Dtype dtype);

// Elements in C order, images (N, C, d...) in channels-last order, and any
// layout that the primitive prefers.
dnnl::memory::desc describe(const Shape& shape, Dtype dtype);
dnnl::memory::desc describe_channels_last(const Shape& shape, Dtype dtype);
dnnl::memory::desc describe_any(const Shape& shape, Dtype dtype);

// An array with its own strides, which must be positive multiples of the item
// size; dense() ensures this.
dnnl::memory::desc describe(const Array& a);

// The array itself if it is contiguous in some order of the axes (C order,
// channels last, ...), else a copy in C order.
Array dense(const Array& a);

}  // namespace catena::cpu::onednn
