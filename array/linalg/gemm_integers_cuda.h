#pragma once

#include "catena/array/linalg/gemm.h"

namespace catena::kernels::CATENA_BACKEND {

// The kernels of integers, which wrap round, and of bool ("and" and "or"),
// which cuBLAS lacks.
array::Gemm::Table integer_gemm_table();

}  // namespace catena::kernels::CATENA_BACKEND
