#pragma once

#include "catena/array/linalg/gemm.h"

namespace catena::kernels::CATENA_BACKEND {

// Matrix products of integers, with wraparound, and bool (logical and, or),
// which cuBLAS lacks.
template <class T>
void multiply_integers(const GemmArgs& args);

}  // namespace catena::kernels::CATENA_BACKEND
