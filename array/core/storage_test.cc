#include "catena/array/core/storage.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "catena/array/core/borrowed_storage.h"
#include "catena/array/core/error.h"

namespace catena {
namespace {

TEST(StorageTest, AllocatesAlignedMemoryOnTheDevice) {
  const Ref<Storage> storage = Storage::allocate(native_device(3), 100);
  EXPECT_EQ(storage->device(), native_device(3));
  EXPECT_EQ(storage->bytes(), 100);
  EXPECT_TRUE(storage->owned());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(storage->data()) % 64, 0u);
}

TEST(StorageTest, ZeroBytesAreAllowed) {
  const Ref<Storage> storage = Storage::allocate(native_device(), 0);
  EXPECT_NE(storage->data(), nullptr);
  EXPECT_EQ(storage->bytes(), 0);
}

TEST(StorageTest, HandlesAreCounted) {
  const Ref<Storage> a = Storage::allocate(native_device(), 8);
  EXPECT_EQ(a->use_count(), 1);
  {
    const Ref<Storage> b = a;
    EXPECT_EQ(a->use_count(), 2);
    EXPECT_EQ(a, b);
  }
  EXPECT_EQ(a->use_count(), 1);
}

TEST(StorageTest, MovingAHandleKeepsTheCount) {
  Ref<Storage> a = Storage::allocate(native_device(), 8);
  const Storage* const object = a.get();
  const Ref<Storage> b = std::move(a);
  EXPECT_EQ(b.get(), object);
  EXPECT_EQ(b->use_count(), 1);
}

TEST(StorageTest, BorrowedMemoryKeepsItsOwnerAliveAsLongAsNeeded) {
  auto owner = std::make_shared<std::vector<char>>(16);
  Ref<Storage> storage =
      BorrowedStorage::make(native_device(), owner->data(), 16, owner);
  EXPECT_EQ(storage->data(), owner->data());
  EXPECT_FALSE(storage->owned());
  EXPECT_EQ(owner.use_count(), 2);
  storage = Ref<Storage>();
  EXPECT_EQ(owner.use_count(), 1);
}

// The description beside the bytes must not make the sum wrap round.
TEST(StorageTest, MoreBytesThanThereCanBeAreRefused) {
  const int64_t before = cpu::memory_pool_statistics().used_bytes;
  for (const int64_t missing : {0, 1, 63, 64, 65, 1000}) {
    EXPECT_THROW(
        Storage::allocate(native_device(),
                          std::numeric_limits<int64_t>::max() - missing),
        OutOfMemoryError)
        << missing;
  }
  EXPECT_EQ(cpu::memory_pool_statistics().used_bytes, before);
}

TEST(StorageTest, NothingLeaks) {
  const int64_t before = cpu::memory_pool_statistics().used_bytes;
  {
    const Ref<Storage> a = Storage::allocate(native_device(), 1000);
    const Ref<Storage> b = Storage::allocate(native_device(), 5 << 20);
    EXPECT_GT(cpu::memory_pool_statistics().used_bytes, before);
  }
  EXPECT_EQ(cpu::memory_pool_statistics().used_bytes, before);
}

}  // namespace
}  // namespace catena
