#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace catena::functions {

enum class NStepKind : uint8_t { kLstm, kGru, kTanh, kRelu };

// "lstm", "gru", "tanh" or "relu".
constexpr std::string_view name_of(NStepKind kind) {
  constexpr std::string_view kNames[] = {"lstm", "gru", "tanh", "relu"};
  return kNames[static_cast<int>(kind)];
}

// Describes one layer in one direction, and its input.
struct NStepLayer {
  NStepKind kind;
  // The number of rows of x in each step, which never increases.
  std::vector<int64_t> batch_sizes;
  // Whether to go from the last step to the first.
  bool is_reversed = false;
};

// Describes all layers, each on top of the one before it, and their input.
// States and weights come layer by layer, those of the backward direction after
// those of the forward direction.
struct NStepNetwork {
  NStepKind kind;
  std::vector<int64_t> batch_sizes;  // as above
  int64_t n_layers = 1;
  bool is_bidirectional = false;
  // What is dropped of each layer's input but the first one's.
  double dropout_ratio = 0;

  int64_t directions() const { return is_bidirectional ? 2 : 1; }
};

}  // namespace catena::functions
