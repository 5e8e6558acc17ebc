#include "catena/cuda/testing/gpu_test.h"

#include "catena/cuda/device.h"
#include "catena/tests/testing/gpu_limit.h"

namespace catena::cuda {

int gpus_for_tests() { return testing::gpus_for_tests(device_count()); }

}  // namespace catena::cuda
