#pragma once

#include <vector>

#include "catena/array/array.h"
#include "catena/autograd/config.h"
#include "catena/autograd/gradient_check.h"

namespace catena::testing {

// Expects a function to give the same results with and without cuDNN, in each
// floating dtype on the current device: outputs, with and without a graph, and
// input gradients for random output gradients. Inputs are given as float64. On
// the CPU, config().use_cudnn must change nothing at all.
void check_cudnn_changes_nothing(
    const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs);

// The same for a setting of the config that chooses between ways to call cuDNN.
void check_setting_changes_nothing(
    bool Config::*setting, const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs);

// Expects NaN with cuDNN wherever there is NaN without it. Algorithms that
// transform tiles of images have more of them.
void check_cudnn_keeps_nan(const gradient_check::VariableFunction& function,
                           const std::vector<Array>& inputs);

}  // namespace catena::testing
