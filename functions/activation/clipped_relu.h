#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct ClippedReluOptions {
  double z = 20;
};

// y = min(max(x, 0), z), elementwise. Any shape; x floating, else InvalidType.
// NaN stays NaN. The gradient at the kinks is 0. ValueError unless z > 0.
Variable clipped_relu(const Variable& x,
                      const ClippedReluOptions& options = {});

// The same with z = 6 (Krizhevsky, 2010, "Convolutional Deep Belief Networks on
// CIFAR-10").
Variable relu6(const Variable& x);

}  // namespace catena::functions
