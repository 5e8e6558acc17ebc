#pragma once

#include <string>
#include <vector>

namespace catena::examples {

// A program and what it reports at its end.
struct TrainedProgram {
  std::string program;  // "mnist/train_mnist_cnn"
  std::vector<std::string> arguments;
  std::string result;  // of the last entry of the log
};

// Expects the mean of the results of three seeds in the 16 bits `dtype`, by
// CATENA_AUTOCAST, to be as far from that in float32 as seeds are from each
// other, or less.
void expect_results_of_float32(const TrainedProgram& trained,
                               const std::string& dtype);

}  // namespace catena::examples
