#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>

#include "catena/array/linalg/gemm.h"

namespace catena::cuda {

// A strided batch of products; strides are in items.
struct GemmBatch {
  const char* a;
  const char* b;
  char* c;
  int64_t a_stride;
  int64_t b_stride;
  int64_t c_stride;
  int64_t count;
};

// Splits the batch axes of a product into strided batches along the longest
// axis, one per index of the others. Needs no GPU.
void visit_gemm_batches(const array::GemmArgs& args,
                        absl::FunctionRef<void(const GemmBatch& batch)> visit);

}  // namespace catena::cuda
