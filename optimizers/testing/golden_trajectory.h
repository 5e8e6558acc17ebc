#pragma once

#include <optional>

#include "catena/optimizers/optimizer.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {

// Runs the optimizer on a golden case's parameters and gradients and compares
// the parameters after each of its steps and the state after the last, on
// `device`. The tolerance defaults to the case's.
void expect_golden_trajectory(
    Optimizer& optimizer, const GoldenCase& golden, Device device,
    std::optional<Tolerance> tolerance = std::nullopt);

}  // namespace catena::testing
