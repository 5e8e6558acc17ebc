// Copies from the host to an emulated GPU.

#include <gmock/gmock.h>

#include <cstdint>

#include "catena/array/array.h"
#include "catena/array/core/device.h"
#include "catena/array/creation.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena {
namespace {

constexpr Device kGpu = cuda_device(0);
constexpr int64_t kMebibyte = 1 << 20;

Array bytes(int64_t count, int value) {
  return array::full({count}, value, Dtype::kUInt8, native_device());
}

// The GPU reads what was there, however late it does.
TEST(CopyWaitsTest, TheHostMayChangeMemoryAtOnce) {
  for (const int64_t size : {int64_t{1}, kMebibyte + 1, 9 * kMebibyte + 5}) {
    const int64_t before = cuda::emulation::host_waits();
    const Array x = bytes(size, 1);
    const Array first = x.to_device(kGpu);
    x.fill(2);
    const Array second = x.to_device(kGpu);
    x.fill(3);
    EXPECT_EQ(cuda::emulation::host_waits(), before) << size;
    EXPECT_THAT(first, testing::IsArray(bytes(size, 1)));
    EXPECT_THAT(second, testing::IsArray(bytes(size, 2)));
  }
}

// A host far ahead of the GPU waits for the oldest copies.
TEST(CopyWaitsTest, PageLockedMemoryIsBounded) {
  const Array x = bytes(128 * kMebibyte, 1);
  const Array warm = x.to_device(kGpu);
  synchronize(kGpu);
  const int64_t before = cuda::emulation::host_waits();
  const Array first = x.to_device(kGpu);
  const Array second = x.to_device(kGpu);
  EXPECT_EQ(cuda::emulation::host_waits(), before);
  const Array third = x.to_device(kGpu);
  EXPECT_GT(cuda::emulation::host_waits(), before);
}

TEST(CopyWaitsTest, SmallCopiesUseTheirEventsAgain) {
  const Array x = bytes(100, 1);
  const auto copy = [&] {
    const Array first = x.to_device(kGpu);
    const Array second = x.to_device(kGpu);  // while the first is under way
    synchronize(kGpu);
  };
  copy();
  copy();
  const int64_t before = cuda::emulation::created_events();
  for (int round = 0; round < 50; ++round) copy();
  EXPECT_EQ(cuda::emulation::created_events(), before);
}

TEST(CopyWaitsTest, GpusCopyFromEachOtherDirectly) {
  const int64_t before = cuda::emulation::staged_copies();
  const Array x = bytes(100, 1).to_device(kGpu);
  const Array y = x.to_device(cuda_device(1)).to_device(kGpu);
  EXPECT_THAT(y, testing::IsArray(bytes(100, 1)));
  EXPECT_EQ(cuda::emulation::staged_copies(), before);
}

}  // namespace
}  // namespace catena
