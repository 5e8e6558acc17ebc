#include "catena/cuda/device.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/cuda/error.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class CudaDeviceTest : public GpuTest {};

TEST(CudaDeviceCountTest, IsAtLeastZeroAndTheSameEveryTime) {
  const int count = device_count();
  EXPECT_GE(count, 0);
  EXPECT_LE(count, kMaxDevices);
  EXPECT_EQ(device_count(), count);
  EXPECT_EQ(available(), count > 0);
}

TEST(CudaDeviceCountTest, WithoutAGpuTheCheckSaysWhy) {
  if (available()) {
    EXPECT_NO_THROW(check_cuda_available());
  } else {
    EXPECT_THAT(error_of<DeviceError>([] { check_cuda_available(); }),
                HasSubstr("CUDA: expected a GPU"));
  }
}

TEST(CudaDeviceCountTest, DevicesBeyondTheCountAreRefused) {
  for (const int device : {-1, device_count()}) {
    EXPECT_THAT(error_of<DeviceError>([&] { properties(device); }),
                str("cuda::properties: expected a GPU index below ",
                    device_count(), ", got ", device));
    EXPECT_THROW(can_access_peer(device, 0), DeviceError);
  }
}

TEST(CudaDeviceCountTest, TheRuntimeHasAVersion) {
  EXPECT_EQ(runtime_version(), CUDART_VERSION);
  EXPECT_GE(driver_version(), 0);
}

TEST(CudaDeviceCountTest, TheDefaultDeviceIsZeroOnTheHost) {
  EXPECT_EQ(default_device(), 0);
}

TEST_F(CudaDeviceTest, HasProperties) {
  const DeviceProperties& found = properties(0);
  EXPECT_FALSE(found.name.empty());
  EXPECT_GE(found.major, 7);
  EXPECT_GT(found.multiprocessors, 0);
  EXPECT_GT(found.memory_bytes, 0);
  EXPECT_EQ(compute_capability(0), str(found.major, found.minor));
}

TEST_F(CudaDeviceTest, KnowsItsFreeMemory) {
  const DeviceMemoryInfo before = memory_info(0);
  EXPECT_GT(before.free_bytes, 0);
  EXPECT_LE(before.free_bytes, before.total_bytes);
  void* data = nullptr;
  constexpr int64_t kBytes = 64 << 20;
  check(cudaMalloc(&data, kBytes), "cudaMalloc");
  EXPECT_LE(memory_info(0).free_bytes, before.free_bytes - kBytes);
  check(cudaFree(data), "cudaFree");
  EXPECT_THROW(memory_info(device_count()), DeviceError);
}

TEST_F(CudaDeviceTest, GuardSwitchesAndRestores) {
  const int before = get_device();
  const int last = device_count() - 1;
  {
    const DeviceGuard guard(last);
    EXPECT_EQ(get_device(), last);
  }
  EXPECT_EQ(get_device(), before);
}

TEST_F(CudaDeviceTest, GuardRefusesADeviceThatIsNotThere) {
  const int before = get_device();
  EXPECT_THROW(DeviceGuard{device_count()}, CudaError);
  EXPECT_EQ(get_device(), before);
}

// What users' own kernels and libraries run on.
TEST_F(CudaDeviceTest, CatenasCurrentDeviceIsAlsoCudas) {
  if (device_count() < 2) GTEST_SKIP() << "only one CUDA device";
  ASSERT_EQ(get_device(), 0);
  {
    const DeviceScope second(cuda_device(1));
    EXPECT_EQ(get_device(), 1);
    {
      const DeviceScope first(cuda_device(0));
      EXPECT_EQ(get_device(), 0);
      const DeviceScope host(native_device());
    }
    EXPECT_EQ(get_device(), 1);
  }
  EXPECT_EQ(get_device(), 0);
  set_current_device(cuda_device(1));
  EXPECT_EQ(get_device(), 1);
  set_current_device(native_device());
  EXPECT_EQ(get_device(), 0);
}

TEST_F(CudaDeviceTest, SynchronizeWaits) { EXPECT_NO_THROW(synchronize(0)); }

TEST_F(CudaDeviceTest, ADeviceIsItsOwnPeer) {
  EXPECT_TRUE(can_access_peer(0, 0));
  EXPECT_TRUE(enable_peer_access(0, 0));
}

TEST_F(CudaDeviceTest, PeerAccessCanBeEnabledTwice) {
  if (device_count() < 2) GTEST_SKIP() << "only one CUDA device";
  const bool can = can_access_peer(0, 1);
  EXPECT_EQ(enable_peer_access(0, 1), can);
  EXPECT_EQ(enable_peer_access(0, 1), can);
}

}  // namespace
}  // namespace catena::cuda
