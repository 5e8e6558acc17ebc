#pragma once

#include "catena/array/array.h"

// Functors compiled by nvcc, for functor_kernels_test.
namespace catena::cuda {

Array sample_fma(const Operand& x, const Operand& y, float bias);
Array sample_is_above(const Array& x, const Array& limit);
Array sample_half(const Array& x);

}  // namespace catena::cuda
