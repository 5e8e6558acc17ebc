#pragma once

#include <vector>

#include "catena/array/array.h"
#include "catena/autograd/gradient_check.h"

namespace catena::testing {

// Expects a function to give the same results with and without cuDNN, in
// float64, float32 and float16 on the current device: outputs, with and without
// a graph, and input gradients for random output gradients. Inputs are given as
// float64. On the CPU, config().use_cudnn must change nothing at all.
void check_cudnn_changes_nothing(
    const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs);

}  // namespace catena::testing
