#include "catena/cuda/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/stream.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

class DeviceMemoryTest : public GpuTest {};
class PinnedMemoryTest : public GpuTest {};

std::vector<uint8_t> read(const Memory& memory) {
  std::vector<uint8_t> bytes(static_cast<size_t>(memory.size()));
  copy_async(bytes.data(), memory.ptr(), memory.size(), 0, nullptr);
  synchronize(0);
  return bytes;
}

TEST(DeviceMemoryErrorTest, RefusesADeviceThatIsNotThere) {
  for (const int device : {-1, device_count(), 10000}) {
    EXPECT_THAT(error_of<DeviceError>([&] { memory_pool(device); }),
                HasSubstr("expected a GPU"));
  }
}

TEST(DeviceMemoryErrorTest, RefusesANegativeSize) {
  EXPECT_THAT(error_of<ValueError>([] { Memory(-1, 0); }),
              "cuda::Memory: expected a size of at least 0, got -1");
}

TEST(DeviceMemoryErrorTest, NothingIsNull) {
  const Memory memory(0, 0);
  EXPECT_EQ(memory.ptr(), nullptr);
  EXPECT_EQ(memory.size(), 0);
}

TEST_F(DeviceMemoryTest, AMessageHasAllNumbers) {
  MemoryPool& pool = memory_pool(0);
  const int64_t total = memory_info(0).total_bytes;
  EXPECT_THAT(
      error_of<OutOfMemoryError>([&] { pool.allocate(total * 2, nullptr); }),
      AllOf(HasSubstr("bytes in use"), HasSubstr("cached"),
            HasSubstr(str(" of ", total, " bytes free")),
            HasSubstr("page-locked memory of the host: ")));
}

TEST_F(DeviceMemoryTest, IsCountedByThePool) {
  const int64_t before = memory_pool(0).statistics().used_bytes;
  {
    const Memory memory(1000, 0);
    EXPECT_EQ(memory.size(), 1000);
    EXPECT_EQ(memory.device(), 0);
    EXPECT_EQ(memory_pool(0).statistics().used_bytes, before + 1024);
  }
  EXPECT_EQ(memory_pool(0).statistics().used_bytes, before);
}

// The null stream is that of the memory's device.
TEST_F(DeviceMemoryTest, ItsDeviceNeedNotBeCurrent) {
  if (device_count() < 2) GTEST_SKIP() << "only one CUDA device";
  ASSERT_EQ(get_device(), 0);
  const Memory memory(100, 1);
  const PinnedMemory bytes(100);
  for (int value = 0; value < 20; ++value) {
    memory.memset_async(value, nullptr);
    copy_async(bytes.ptr(), memory.ptr(), 100, 1, nullptr);
    synchronize(1);
    EXPECT_EQ(static_cast<const uint8_t*>(bytes.ptr())[99], value);
  }
}

TEST_F(DeviceMemoryTest, IsReusedByTheSameStream) {
  void* first = nullptr;
  {
    const Memory memory(3 << 20, 0);
    first = memory.ptr();
  }
  EXPECT_EQ(Memory(3 << 20, 0).ptr(), first);
}

TEST_F(DeviceMemoryTest, Moves) {
  Memory a(512, 0);
  void* data = a.ptr();
  Memory b(std::move(a));
  EXPECT_EQ(b.ptr(), data);
  Memory c(0, 0);
  c = std::move(b);
  EXPECT_EQ(c.ptr(), data);
}

TEST_F(DeviceMemoryTest, MemsetAndCopiesFollowTheStream) {
  const Memory a(1000, 0);
  const Memory b(1000, 0);
  a.memset_async(7, nullptr);
  copy_async(b.ptr(), a.ptr(), 1000, 0, nullptr);
  EXPECT_THAT(read(b), Each(7));
}

TEST_F(DeviceMemoryTest, FreeAllBlocksEmptiesTheCache) {
  { const Memory memory(8 << 20, 0); }
  EXPECT_GE(memory_pool(0).statistics().free_bytes, 8 << 20);
  free_all_blocks();
  EXPECT_LT(memory_pool(0).statistics().free_bytes, 8 << 20);
}

TEST_F(DeviceMemoryTest, MoreThanThereIsIsOutOfMemoryAndNothingBreaks) {
  EXPECT_THAT(error_of<OutOfMemoryError>([] { Memory(int64_t{1} << 50, 0); }),
              HasSubstr("cuda:0: expected 1125899906842624 bytes"));
  EXPECT_NE(Memory(1 << 20, 0).ptr(), nullptr);
  EXPECT_NO_THROW(synchronize(0));
}

TEST_F(DeviceMemoryTest, AnEndedStreamLeavesItsMemoryToTheNullStream) {
  free_all_blocks();
  void* data = nullptr;
  {
    const Stream stream({.device = 0});
    data = Memory(64 << 20, 0, stream.ptr()).ptr();
  }
  EXPECT_EQ(Memory(64 << 20, 0, nullptr).ptr(), data);
}

TEST_F(DeviceMemoryTest, RecordUseKnowsThePoolsMemory) {
  const Memory memory(512, 0);
  const Stream stream({.device = 0});
  EXPECT_NO_THROW(record_use(memory.ptr(), 0, stream.ptr()));
  int host = 0;
  EXPECT_THROW(record_use(&host, 0, stream.ptr()), ValueError);
}

TEST_F(PinnedMemoryTest, IsCopiedFromAndReusedAfterTheCopy) {
  const Memory target(4096, 0);
  PinnedMemory staging(4096);
  void* first = staging.ptr();
  EXPECT_EQ(staging.size(), 4096);
  std::fill_n(static_cast<uint8_t*>(first), 4096, uint8_t{42});
  Event copied({.device = 0, .disable_timing = true});
  copy_async(target.ptr(), staging.ptr(), 4096, 0, nullptr);
  copied.record(nullptr);
  staging.free_after(std::move(copied));
  EXPECT_EQ(staging.ptr(), nullptr);
  EXPECT_THAT(read(target), Each(42));
  EXPECT_EQ(PinnedMemory(4096).ptr(), first);
}

TEST(PinnedMemoryErrorTest, RefusesANegativeSize) {
  EXPECT_THAT(error_of<ValueError>([] { PinnedMemory(-1); }),
              "PinnedMemory: expected a size of at least 0, got -1");
}

}  // namespace
}  // namespace catena::cuda
