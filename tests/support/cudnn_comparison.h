#pragma once

#include <vector>

#include "catena/array/array.h"
#include "catena/autograd/gradient_check.h"

namespace catena::testing {

// That a function gives the same with cuDNN as without it, in float64, float32
// and float16 on the current device: its results, with and without a graph, and
// the gradients of its inputs, given as float64, for random ones of the
// results. On the CPU, which knows no cuDNN, config().use_cudnn must change
// nothing at all.
void check_cudnn_changes_nothing(
    const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs);

}  // namespace catena::testing
