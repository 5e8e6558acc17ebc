#pragma once

#include "catena/optimizers/optimizer.h"
#include "catena/tests/support/golden.h"

namespace catena::testing {

// Applies the optimizer to the parameters of a golden case with its gradients
// and expects the parameters after each of the six steps and the state after
// the last, all on `device`.
void expect_golden_trajectory(Optimizer& optimizer, const GoldenCase& golden,
                              Device device);

}  // namespace catena::testing
