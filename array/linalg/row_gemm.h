#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/linalg/gemm.h"

// Products of very few rows with a transposed matrix: what a layer computes for
// a single sample, or a language model for the next token. The cost is reading
// B from memory, which happens once, in order, and 16-bit floats are widened on
// the way; sums are float32.
namespace catena::array {

struct RowGemm {
  static constexpr std::string_view kName = "row_gemm";
  using Table = RowGemm;
  static constexpr int64_t kMaxRows = 4;
  // Whether A is not transposed, with at most kMaxRows rows, and B is.
  static bool suits(const GemmArgs& args) {
    return !args.a.transposed && args.b.transposed && args.m <= kMaxRows;
  }

  // One such product as described by GemmArgs, with matrices at these
  // addresses.
  using Kernel = void(const GemmArgs& args, const char* a, const char* b,
                      char* c);
  Kernel* float16;
  Kernel* bfloat16;
  Kernel* float32;
};

}  // namespace catena::array
