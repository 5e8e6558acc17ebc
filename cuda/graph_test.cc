#include "catena/cuda/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/ufunc.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::cuda {
namespace {

using ::catena::testing::IsArray;

class GraphTest : public GpuTest {};

TEST_F(GraphTest, LaunchComputesAnewFromTheSameMemory) {
  const DeviceScope scope(cuda_device());
  const Array x = array::arange(1000, Dtype::kFloat32);
  Array y;
  const Graph graph([&] { y = (x + 1) * (x * 2); });
  for (int round = 0; round < 3; ++round) {
    x.fill(round);
    graph.launch();
    EXPECT_THAT(y, IsArray(array::full({1000}, (round + 1) * 2.0f * round,
                                       Dtype::kFloat32)));
    // Memory of other work does not meet the graph's.
    const Array other = array::full({1000}, -1.0f);
    graph.launch();
    EXPECT_THAT(other, IsArray(array::full({1000}, -1.0f)));
  }
}

TEST_F(GraphTest, GivesItsMemoryBackAtItsEnd) {
  const DeviceScope scope(cuda_device());
  const Array x = array::zeros({1000}, Dtype::kFloat32);
  const int64_t before = memory_pool(0).statistics().used_bytes;
  {
    const Graph graph([&] { static_cast<void>((x + 1) * 2); });
    EXPECT_GT(memory_pool(0).statistics().used_bytes, before);
  }
  EXPECT_EQ(memory_pool(0).statistics().used_bytes, before);
}

TEST_F(GraphTest, AFailureLeavesTheDeviceUsable) {
  const DeviceScope scope(cuda_device());
  const Array x = array::zeros({3});
  EXPECT_THROW(Graph([] { throw ValueError("mine"); }), ValueError);
  EXPECT_THROW(Graph([&] {
                 static_cast<void>((x + 1).copy().to_device(native_device()));
               }),
               CudaError);
  EXPECT_THAT(x + 1, IsArray(array::ones({3})));
}

}  // namespace
}  // namespace catena::cuda
