#pragma once

#include <cstdint>
#include <vector>

namespace catena::functions {

enum class NStepKind : uint8_t { kLstm, kGru, kTanh, kRelu };

// Describes one layer in one direction, and its input.
struct NStepLayer {
  NStepKind kind;
  // The number of rows of x in each step, which never increases.
  std::vector<int64_t> batch_sizes;
  // Whether to go from the last step to the first.
  bool is_reversed = false;
};

}  // namespace catena::functions
