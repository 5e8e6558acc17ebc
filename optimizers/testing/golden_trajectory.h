#pragma once

#include <optional>

#include "catena/optimizers/optimizer.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {

// Applies the optimizer to the parameters of a golden case with its gradients
// and expects the parameters after each of the six steps and the state after
// the last, all on `device`, within the case's tolerance unless one is given.
void expect_golden_trajectory(
    Optimizer& optimizer, const GoldenCase& golden, Device device,
    std::optional<Tolerance> tolerance = std::nullopt);

}  // namespace catena::testing
