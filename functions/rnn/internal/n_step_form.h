#pragma once

#include <cstdint>
#include <vector>

namespace catena::functions {

enum class NStepKind : uint8_t { kLstm, kGru, kTanh, kRelu };

// What one layer computes in one direction, and its input.
struct NStepLayer {
  NStepKind kind;
  // Rows of x for each step, which do not rise.
  std::vector<int64_t> batch_sizes;
  // From the last step to the first.
  bool is_reversed = false;
};

}  // namespace catena::functions
