#pragma once

namespace catena::testing {

// How many of the GPUs found tests may use: all, or as many as the environment
// variable CHAINER_TEST_GPU_LIMIT says unless that is negative. The fixtures
// skip tests that need more. Throws ValueError when it is not a number.
int gpus_for_tests(int found);

}  // namespace catena::testing
