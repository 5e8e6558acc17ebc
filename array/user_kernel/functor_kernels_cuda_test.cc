#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/array/user_kernel/functor_kernels_samples.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;

class FunctorKernelsTest : public GpuTest {};

TEST_F(FunctorKernelsTest, BroadcastsArraysAndNumbers) {
  const DeviceScope scope(cuda_device());
  const Array x = array::arange(6, Dtype::kFloat32).reshape({2, 3});
  EXPECT_THAT(sample_fma(x, 2, 1), IsArray(x * 2 + 1));
  EXPECT_THAT(sample_fma(x.T(), x[0][1], 0.5), IsArray(x.T() + 0.5));
  const Array large = array::arange(1000003, Dtype::kFloat32);
  EXPECT_THAT(sample_fma(large, 2, 1), IsArray(large * 2 + 1));
}

TEST_F(FunctorKernelsTest, TakesAndGivesOtherTypes) {
  const DeviceScope scope(cuda_device());
  EXPECT_THAT(sample_is_above(array::array({0.5, 1.5}), array::array({0, 2})),
              IsArray(array::array({true, false})));
  const Array x = array::arange(5).astype(Dtype::kFloat16);
  EXPECT_THAT(sample_half(x), IsArray(x / 2));
}

TEST(FunctorKernelsErrorTest, NamesWhatDoesNotFit) {
  const Array x = array::ones({2}, Dtype::kFloat32);
  EXPECT_THAT(error_of<DeviceError>([&] { sample_fma(x, 1, 0); }),
              "cuda::elementwise: expected arrays "
              "on a GPU, got native:0");
  EXPECT_THAT(error_of<DtypeError>([&] { sample_fma(x, array::arange(2), 0); }),
              "cuda::elementwise: expected float32, the functor's type, "
              "for argument 1, got int64");
}

}  // namespace
}  // namespace catena::cuda
