#pragma once

#include "catena/array/linalg/gemm.h"

namespace catena::kernels::CATENA_BACKEND {

// Products of integers, which wrap round, and of bool ("and" and "or"), which
// cuBLAS lacks.
template <class T>
void multiply_integers(const GemmArgs& args);

}  // namespace catena::kernels::CATENA_BACKEND
