#include "catena/cuda/record_params.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "catena/cuda/device_memory.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/testing/gpu_test.h"

namespace catena::cuda {
namespace {

struct Padded {
  char a;
  double b;
  int16_t c;
};

struct Call {
  const void* x;
  float scale;
  int32_t axis;
  int64_t size;
};

struct Empty {};

struct Seed {
  uint64_t key;
};

}  // namespace

template <>
inline constexpr bool kIsRecorded<Seed> = false;

namespace {

template <class... T>
WorkRecord record_of(const T&... params) {
  WorkRecord record;
  const WorkRecordScope scope(&record);
  record_params(params...);
  return record;
}

// Whether they are the same work.
bool equal(const WorkRecord& a, const WorkRecord& b) {
  return !a.difference(b, /*is_first_call=*/false);
}

Padded padded_with(int filling) {
  Padded result;
  std::memset(static_cast<void*>(&result), filling, sizeof(result));
  result.a = 1;
  result.b = 2;
  result.c = 3;
  return result;
}

TEST(RecordParamsTest, PaddingDoesNotCount) {
  const Padded zeros = padded_with(0);
  const Padded ones = padded_with(0xff);
  EXPECT_TRUE(equal(record_of(zeros), record_of(ones)));
}

TEST(RecordParamsTest, NumbersCount) {
  const Call call = {.x = nullptr, .scale = 0.5f, .axis = 1, .size = 7};
  const WorkRecord record = record_of(call, 3);
  EXPECT_TRUE(equal(record, record_of(call, 3)));
  EXPECT_FALSE(equal(record, record_of(call, 4)));
  Call other = call;
  other.scale = 0.25f;
  EXPECT_FALSE(equal(record, record_of(other, 3)));
  other = call;
  other.axis = 2;  // the word is small enough for an address
  EXPECT_FALSE(equal(record, record_of(other, 3)));
  other = call;
  other.size = int64_t{1} << 33;
  EXPECT_FALSE(equal(record, record_of(other, 3)));
}

TEST(RecordParamsTest, WhatIsMeantToChangeDoesNotCount) {
  EXPECT_EQ(record_of(Seed{1}).size(), 0u);
  EXPECT_EQ(record_of(Empty()).size(), 0u);
}

TEST(RecordParamsTest, WithoutARecordNothingHappens) {
  record_params(1, Empty());
  EXPECT_EQ(current_work_record(), nullptr);
}

class RecordAddressesTest : public GpuTest {};

TEST_F(RecordAddressesTest, ThoseOfMemoryAreAlike) {
  const Memory a(1 << 12, 0);
  const Memory b(1 << 12, 0);
  const PinnedMemory pinned(64);
  const auto* const first = static_cast<const char*>(a.ptr());
  const auto call_with = [](const void* x) {
    return Call{.x = x, .scale = 0.5f, .axis = 1, .size = 7};
  };
  const WorkRecord record = record_of(first, call_with(first));
  for (const void* x :
       {static_cast<const void*>(b.ptr()), static_cast<const void*>(first + 5),
        static_cast<const void*>(pinned.ptr())}) {
    EXPECT_TRUE(
        equal(record, record_of(static_cast<const char*>(x), call_with(x))));
  }
  EXPECT_FALSE(equal(record, record_of(first, call_with(nullptr))));
}

}  // namespace
}  // namespace catena::cuda
