#include "catena/cuda/memory_pointer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/from_data.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Fake memory: addresses and ranges are checked without a device.
MemoryPointer pretended(char* data, int64_t size) {
  return MemoryPointer(std::make_shared<int>(1), data, size, 3);
}

TEST(MemoryPointerArithmeticTest, MovesWithinTheBuffer) {
  std::array<char, 10> bytes;
  const MemoryPointer p = pretended(bytes.data(), 10);
  EXPECT_EQ(p.device(), 3);
  EXPECT_EQ((p + 4).ptr(), bytes.data() + 4);
  EXPECT_EQ((4 + p).ptr(), bytes.data() + 4);
  EXPECT_EQ((p + 4 - 3).ptr(), bytes.data() + 1);
  EXPECT_EQ((p + 4).size(), 6);
  EXPECT_EQ((p + 10).size(), 0);
  MemoryPointer q = p;
  q += 7;
  q -= 2;
  EXPECT_EQ(q.ptr(), bytes.data() + 5);
  EXPECT_EQ(p.ptr(), bytes.data());
  EXPECT_EQ(p.mem().use_count(), 2);
  EXPECT_THAT(error_of<IndexError>([&] { p + 11; }),
              "MemoryPointer: expected an offset in "
              "[0, 10], got 0 + 11");
  EXPECT_THROW(q - 6, IndexError);
  EXPECT_THROW(q + INT64_MAX, IndexError);
  EXPECT_EQ(q.ptr(), bytes.data() + 5);
}

TEST(MemoryPointerArithmeticTest, CopiesStayInsideTheBuffer) {
  std::array<char, 10> bytes{};
  const MemoryPointer p = pretended(bytes.data(), 10) + 4;
  EXPECT_THAT(error_of<IndexError>([&] { p.copy_from_host(bytes.data(), 7); }),
              "MemoryPointer::copy_from_host: "
              "expected a size in [0, 6], got 7");
  EXPECT_THROW(p.copy_to_host(bytes.data(), -1), IndexError);
  EXPECT_THROW(p.memset(0, 7), IndexError);
  EXPECT_THROW(p.copy_from(p + 2, 5), IndexError);
  EXPECT_NO_THROW(p.copy_to_host(bytes.data(), 0));
}

TEST(MemoryPointerArithmeticTest, NothingIsNull) {
  const MemoryPointer p(std::make_shared<Memory>(0, 0));
  EXPECT_EQ(p.ptr(), nullptr);
  EXPECT_EQ(p.size(), 0);
  EXPECT_EQ(MemoryPointer().ptr(), nullptr);
  EXPECT_THROW(MemoryPointer(std::make_shared<Memory>(0, 0), 1), IndexError);
}

TEST(SetAllocatorTest, ReplacesTheOneThatAllocCalls) {
  std::array<char, 100> bytes;
  set_allocator([&](int64_t size) { return pretended(bytes.data(), size); });
  EXPECT_EQ(alloc(42).ptr(), bytes.data());
  EXPECT_EQ(alloc(42).size(), 42);
  EXPECT_THROW(alloc(-1), ValueError);
  set_allocator(nullptr);
  EXPECT_EQ(alloc(0).ptr(), nullptr);
}

TEST(SetPinnedMemoryAllocatorTest, ReplacesTheOneThatAllocCalls) {
  std::array<char, 100> bytes;
  set_pinned_memory_allocator([&](int64_t size) {
    return PinnedMemoryPointer(std::make_shared<int>(1), bytes.data(), size);
  });
  EXPECT_EQ(alloc_pinned_memory(42).ptr(), bytes.data());
  EXPECT_EQ(alloc_pinned_memory(42).size(), 42);
  EXPECT_THROW(alloc_pinned_memory(-1), ValueError);
  set_pinned_memory_allocator(nullptr);
}

class MemoryPointerTest : public GpuTest {};

TEST_F(MemoryPointerTest, CopiesAndSetsBytes) {
  const MemoryPointer p = alloc(8);
  p.memset(7, 8);
  const std::array<uint8_t, 3> from = {1, 2, 3};
  (p + 2).copy_from(from.data(), 3);
  const MemoryPointer q = alloc(8);
  q.copy_from(p + 1, 7);
  std::vector<uint8_t> to(7);
  q.copy_to_host(to.data(), 7);
  EXPECT_THAT(to, ElementsAre(7, 1, 2, 3, 7, 7, 7));
}

TEST_F(MemoryPointerTest, PinnedMemoryHasOffsets) {
  const auto memory = std::make_shared<PinnedMemory>(64);
  const PinnedMemoryPointer p(memory, 16);
  EXPECT_EQ(p.ptr(), static_cast<char*>(memory->ptr()) + 16);
  EXPECT_EQ(p.size(), 48);
  EXPECT_THROW(PinnedMemoryPointer(memory, 65), IndexError);
}

class TwoGpuMemoryPointerTest : public MultiGpuTest<2> {};

TEST_F(TwoGpuMemoryPointerTest, CopiesBetweenDevices) {
  const MemoryPointer p(std::make_shared<Memory>(4, 0));
  const MemoryPointer q(std::make_shared<Memory>(4, 1));
  p.memset(9, 4);
  q.copy_from(p, 4);
  std::vector<uint8_t> to(4);
  q.copy_to_host(to.data(), 4);
  EXPECT_THAT(to, ElementsAre(9, 9, 9, 9));
}

TEST_F(MemoryPointerTest, TheHostTouchesManagedMemoryToo) {
  const MemoryPointer memory = malloc_managed(1000);
  EXPECT_EQ(memory.size(), 1000);
  memory.memset(7, 1000);
  synchronize(0);
  EXPECT_EQ(static_cast<const char*>(memory.ptr())[999], 7);
  set_allocator(malloc_managed);
  EXPECT_EQ(alloc(16).size(), 16);
  set_allocator(nullptr);
  EXPECT_THROW(malloc_managed(0), ValueError);
}

TEST_F(MemoryPointerTest, ArraysComeFromTheAllocatorOfThePools) {
  free_all_blocks();
  std::vector<int64_t> sizes;
  int live = 0;
  set_pool_allocator([&](int64_t size) {
    const MemoryPointer managed = malloc_managed(size);
    sizes.push_back(size);
    ++live;
    const std::shared_ptr<void> owner(
        managed.ptr(), [&live, mem = managed.mem()](void*) { --live; });
    return MemoryPointer(owner, managed.ptr(), size, managed.device());
  });
  {
    const DeviceScope scope(cuda_device(0));
    const Array x = array::arange(6);
    EXPECT_EQ((x * 2)[5].item<int>(), 10);  // from the same segment
    EXPECT_THAT(sizes, ElementsAre(2 << 20));
    const Array large = array::zeros({5 << 20}, Dtype::kUInt8);
    EXPECT_EQ(large[-1].item<int>(), 0);
    EXPECT_EQ(sizes.size(), 2);
    set_pool_allocator(nullptr);
    EXPECT_EQ(live, 2);
  }
  free_all_blocks();
  EXPECT_EQ(live, 0);
}

TEST_F(MemoryPointerTest, ThePoolsRefuseMemoryThatDoesNotFit) {
  free_all_blocks();
  const Device device = cuda_device(0);
  std::array<char, 100> bytes;
  set_pool_allocator([&](int64_t) { return pretended(bytes.data(), 100); });
  EXPECT_THAT(
      error_of<ValueError>([&] { array::zeros({2}, Dtype::kFloat32, device); }),
      HasSubstr("got 100 on cuda:3"));
  set_pool_allocator(
      [](int64_t) -> MemoryPointer { throw OutOfMemoryError("nothing"); });
  EXPECT_THROW(array::zeros({2}, Dtype::kFloat32, device), OutOfMemoryError);
  set_pool_allocator(nullptr);
  EXPECT_EQ(array::ones({2}, Dtype::kFloat32, device).sum().item<float>(), 2);
}

// Memory of another library, which is told when the last array ends.
TEST_F(MemoryPointerTest, ArraysTakeMemoryFromOutside) {
  void* data = nullptr;
  check(cudaMalloc(&data, 12), "cudaMalloc");
  bool ended = false;
  {
    const std::shared_ptr<void> owner(data, [&](void*) { ended = true; });
    const Array x = array::from_data(
        data, {3}, Dtype::kFloat32, {.owner = owner, .device = cuda_device(0)});
    x.fill(2);
    EXPECT_EQ((x * 3)[1].item<float>(), 6);
    EXPECT_FALSE(ended);
  }
  EXPECT_TRUE(ended);
  check(cudaFree(data), "cudaFree");
}

}  // namespace
}  // namespace catena::cuda
