#include <cufft.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <type_traits>
#include <vector>

#include "catena/cuda/emulation/library_test.h"

namespace catena::cuda::emulation {
namespace {

constexpr cufftType type_of(float2) { return CUFFT_C2C; }
constexpr cufftType type_of(double2) { return CUFFT_Z2Z; }
cufftResult execute(cufftHandle plan, float2* data, int direction) {
  return cufftExecC2C(plan, data, data, direction);
}
cufftResult execute(cufftHandle plan, double2* data, int direction) {
  return cufftExecZ2Z(plan, data, data, direction);
}

template <class T>
std::vector<T> random_numbers(int64_t size) {
  std::mt19937 random;
  std::uniform_real_distribution<float> numbers(-1, 1);
  std::vector<T> result(static_cast<size_t>(size));
  for (T& x : result) x = {numbers(random), numbers(random)};
  return result;
}

// Element k of the transform of `n` elements, from the definition.
template <class T>
std::complex<double> element(const T* x, int64_t n, int64_t k, int direction) {
  std::complex<double> sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i * k % n) /
                         static_cast<double>(n);
    sum += std::complex<double>(x[i].x, x[i].y) *
           std::polar(1.0, direction * angle);
  }
  return sum;
}

class CufftTest : public LibraryTest {
 protected:
  // A plan with its workspace, on the stream.
  cufftHandle make(int64_t length, int64_t rows, cufftType type) {
    cufftHandle plan = 0;
    EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
    EXPECT_EQ(cufftSetAutoAllocation(plan, 0), CUFFT_SUCCESS);
    long long extent = length;
    size_t bytes = 1;
    EXPECT_EQ(cufftMakePlanMany64(plan, 1, &extent, nullptr, 1, 0, nullptr, 1,
                                  0, type, rows, &bytes),
              CUFFT_SUCCESS);
    EXPECT_EQ(bytes == 0, (length & (length - 1)) == 0);
    workspaces_.emplace_back(bytes);
    EXPECT_EQ(cufftSetStream(plan, stream_), CUFFT_SUCCESS);
    EXPECT_EQ(cufftSetWorkArea(plan, workspaces_.back().data()), CUFFT_SUCCESS);
    return plan;
  }

  std::vector<DeviceArray<char>> workspaces_;
};

template <class T>
class TypedCufftTest : public CufftTest {};
using Numbers = ::testing::Types<float2, double2>;
TYPED_TEST_SUITE(TypedCufftTest, Numbers);

TYPED_TEST(TypedCufftTest, FollowsTheDefinitionForAnyLength) {
  using T = TypeParam;
  const int64_t rows = 3;
  const double epsilon = std::is_same_v<T, float2> ? 0x1p-22 : 0x1p-50;
  for (const int64_t n : {1, 2, 3, 4, 5, 8, 12, 30, 31, 49, 64, 97, 210, 361}) {
    for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      const std::vector<T> start = random_numbers<T>(n * rows);
      const DeviceArray<T> data(start);
      const cufftHandle plan = this->make(n, rows, type_of(T()));
      ASSERT_EQ(execute(plan, data.data(), direction), CUFFT_SUCCESS);
      const std::vector<T> result = data.read(this->stream_);
      EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
      for (int64_t i = 0; i < n * rows; ++i) {
        const auto expected = element(&start[static_cast<size_t>(i / n * n)], n,
                                      i % n, direction);
        const T actual = result[static_cast<size_t>(i)];
        const double tolerance = epsilon * (4 + static_cast<double>(n));
        ASSERT_NEAR(actual.x, expected.real(), tolerance) << n << ", " << i;
        ASSERT_NEAR(actual.y, expected.imag(), tolerance) << n << ", " << i;
      }
    }
  }
}

TYPED_TEST(TypedCufftTest, BothWaysMultiplyByTheLength) {
  using T = TypeParam;
  const int64_t n = 60;
  const std::vector<T> start = random_numbers<T>(n);
  const DeviceArray<T> data(start);
  const cufftHandle plan = this->make(n, 1, type_of(T()));
  ASSERT_EQ(execute(plan, data.data(), CUFFT_FORWARD), CUFFT_SUCCESS);
  ASSERT_EQ(execute(plan, data.data(), CUFFT_INVERSE), CUFFT_SUCCESS);
  const std::vector<T> result = data.read(this->stream_);
  for (size_t i = 0; i < start.size(); ++i) {
    EXPECT_NEAR(result[i].x, 60 * start[i].x, 1e-4);
    EXPECT_NEAR(result[i].y, 60 * start[i].y, 1e-4);
  }
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
}

TEST_F(CufftTest, RunsInTheOrderOfItsStream) {
  const DeviceArray<float2> data(random_numbers<float2>(8));
  const cufftHandle plan = make(8, 1, CUFFT_C2C);
  ASSERT_EQ(execute(plan, data.data(), CUFFT_FORWARD), CUFFT_SUCCESS);
  EXPECT_TRUE(is_pending());
  EXPECT_EQ(cudaMemsetAsync(data.data(), 0, 8 * sizeof(float2), stream_),
            cudaSuccess);
  EXPECT_EQ(data.read(stream_)[0].x, 0);
  EXPECT_FALSE(is_pending());
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
}

TEST_F(CufftTest, DestroyingAPlanWaitsForItsWork) {
  std::vector<float2> ones(6, float2{1, 0});
  const DeviceArray<float2> data(ones);
  const cufftHandle plan = make(6, 1, CUFFT_C2C);
  ASSERT_EQ(execute(plan, data.data(), CUFFT_FORWARD), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_FLOAT_EQ(data.read(stream_)[0].x, 6);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_INVALID_PLAN);
}

TEST_F(CufftTest, RefusesBadArguments) {
  const DeviceArray<float2> data(random_numbers<float2>(12));
  cufftHandle plan = 0;
  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  ASSERT_EQ(cufftSetAutoAllocation(plan, 0), CUFFT_SUCCESS);
  EXPECT_EQ(execute(plan, data.data(), CUFFT_FORWARD), CUFFT_INVALID_PLAN);
  size_t bytes = 0;
  const auto make_plan = [&](int rank, long long length, long long rows) {
    return cufftMakePlanMany64(plan, rank, &length, nullptr, 1, 0, nullptr, 1,
                               0, CUFFT_C2C, rows, &bytes);
  };
  EXPECT_EQ(make_plan(2, 12, 1), CUFFT_NOT_IMPLEMENTED);
  EXPECT_EQ(make_plan(1, 0, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(make_plan(1, 12, 0), CUFFT_INVALID_SIZE);
  EXPECT_EQ(make_plan(1, 12, 1), CUFFT_SUCCESS);
  EXPECT_EQ(make_plan(1, 12, 1), CUFFT_INVALID_PLAN);

  EXPECT_EQ(execute(plan, data.data(), CUFFT_FORWARD), CUFFT_NO_WORKSPACE);
  const DeviceArray<char> workspace(bytes);
  EXPECT_EQ(cufftSetWorkArea(plan, workspace.data()), CUFFT_SUCCESS);
  EXPECT_EQ(execute(plan, data.data(), 0), CUFFT_INVALID_VALUE);
  std::vector<float2> host(12);
  EXPECT_EQ(execute(plan, host.data(), CUFFT_FORWARD), CUFFT_INVALID_VALUE);
  EXPECT_EQ(execute(plan, reinterpret_cast<double2*>(data.data()), 1),
            CUFFT_INVALID_TYPE);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(execute(plan, data.data(), CUFFT_FORWARD), CUFFT_INVALID_DEVICE);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(execute(plan, data.data(), CUFFT_FORWARD), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftSetStream(plan, stream_), CUFFT_INVALID_PLAN);
}

TEST_F(CufftTest, PlansTellWhenMemoryIsShort) {
  cufftHandle plan = 0;
  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  long long length = 12;
  size_t bytes = 0;
  fail_allocation(0);
  EXPECT_EQ(cufftMakePlanMany64(plan, 1, &length, nullptr, 1, 0, nullptr, 1, 0,
                                CUFFT_C2C, 1, &bytes),
            CUFFT_ALLOC_FAILED);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
}

}  // namespace
}  // namespace catena::cuda::emulation
