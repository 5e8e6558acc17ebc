#pragma once

#include "catena/array/linalg/gemm.h"

// The CPU's ways to multiply matrices, which gemm_cpu.cc puts together.
namespace catena::kernels::CATENA_BACKEND {

// One of the products that `args` describes, the one whose matrices begin at
// these addresses.
using ProductKernel = void(const GemmArgs& args, const char* a, const char* b,
                           char* c);

// float32 by oneDNN or OpenBLAS, whichever was measured faster on products of
// that size; float64 by OpenBLAS.
ProductKernel multiply_float32;
ProductKernel multiply_float64;

// Integers, wrapping round, and bool.
template <class T>
ProductKernel multiply_integers;

// All products of float16 or bfloat16, by way of float32.
void multiply_in_float32(const GemmArgs& args);

}  // namespace catena::kernels::CATENA_BACKEND
