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

// Whether the batch is better given to cuBLAS as one list of addresses than in
// strided batches: these would be several, too small to fill the device, and
// every address suits cuBLAS, which cannot see those of a list. Its kernels for
// products of 16-bit floats and TF32 (`uses_tensor_cores`) take them to be
// multiples of 16. Needs no GPU.
bool suits_pointers(const array::GemmArgs& args, bool uses_tensor_cores,
                    int multiprocessors);

// Splits the batch axes of a product into strided batches along the longest
// axis, one per index of the others. Needs no GPU.
void visit_gemm_batches(const array::GemmArgs& args,
                        absl::FunctionRef<void(const GemmBatch& batch)> visit);

}  // namespace catena::cuda
