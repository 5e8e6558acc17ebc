#pragma once

#include "catena/array/linalg/gemm.h"

namespace catena::cuda {

// Adds the kernels of integers, which wrap round, and of bool ("and" and "or"),
// which cuBLAS lacks.
void set_integer_gemm(array::GemmTable& table);

}  // namespace catena::cuda
