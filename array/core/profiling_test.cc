#include "catena/array/core/profiling.h"

#include <gtest/gtest.h>

#include <thread>

#include "catena/array/core/backend.h"
#include "catena/array/creation.h"

namespace catena {
namespace {

TEST(ProfilingTest, CountsWhatTheArraysOfTheThreadAskFor) {
  const int64_t before = allocated_bytes(Backend::kNative);
  array::empty({1000}, Dtype::kFloat32);
  EXPECT_EQ(allocated_bytes(Backend::kNative) - before, 4000);
  std::thread([] {
    EXPECT_EQ(allocated_bytes(Backend::kNative), 0);
    array::empty({3}, Dtype::kFloat64);
    EXPECT_EQ(allocated_bytes(Backend::kNative), 24);
  }).join();
  EXPECT_EQ(allocated_bytes(Backend::kNative) - before, 4000);
}

TEST(ProfilingTest, TheCpusPoolReservesWhatItHandsOut) {
  const BackendTable* native = backend_table(Backend::kNative);
  ASSERT_NE(native, nullptr);
  const int64_t before = native->reserved_bytes();
  const Array large = array::empty({int64_t{64} << 20}, Dtype::kInt8);
  EXPECT_GE(native->reserved_bytes(), before + large.size());
  EXPECT_EQ(native->push_range, nullptr);
}

TEST(ProfilingTest, ABackendBringsItsOwnTable) {
  const BackendTable* previous = backend_table(Backend::kCuda);
  BackendTable table = *backend_table(Backend::kNative);
  table.reserved_bytes = [] { return int64_t{7}; };
  set_backend_table(Backend::kCuda, &table);
  EXPECT_EQ(backend_table(Backend::kCuda)->reserved_bytes(), 7);
  set_backend_table(Backend::kCuda, previous);
}

}  // namespace
}  // namespace catena
