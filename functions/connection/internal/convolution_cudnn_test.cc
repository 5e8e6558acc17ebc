#include "catena/functions/connection/internal/convolution_cudnn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::testing::HasSubstr;

class ConvolutionCudnnTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Convolution, ConvolutionCudnnTest,
                         testing::every_device(), testing::device_name);

// A version of cuDNN that finds out late that it does not support the call.
bool fail_late(ConvolutionPass pass, const ConvolutionArgs& args) {
  const Array& result = pass == ConvolutionPass::kForward        ? args.y
                        : pass == ConvolutionPass::kBackwardData ? args.x
                                                                 : args.W;
  result.fill(std::numeric_limits<double>::quiet_NaN());
  throw cudnn::NotSupported();
}

// Once for each result and dtype, with the cost. The first of these tests,
// before others use up the warnings.
TEST_P(ConvolutionCudnnTest, WarnsOfWhatCudnnDoesNotCompute) {
  convolution_cudnn.fill(fail_late);
  const auto warnings_of = [](Dtype dtype) {
    ::testing::internal::CaptureStderr();
    for (int round = 0; round < 2; ++round) {
      const Variable x(testing::uniform({2, 3, 5, 6}).astype(dtype));
      const Variable W(testing::uniform({4, 3, 3, 2}).astype(dtype));
      const Variable y = convolution_2d(x, W);
      y.set_grad(array::ones_like(y.data()));
      y.backward();
    }
    return ::testing::internal::GetCapturedStderr();
  };
  {
    const auto never = using_config(&Config::use_cudnn, Usage::kNever);
    EXPECT_EQ(warnings_of(Dtype::kFloat32), "");
  }
  const std::string single = warnings_of(Dtype::kFloat32);
  const std::string half = warnings_of(Dtype::kFloat16);
  if (device().is_native()) {
    EXPECT_EQ(single + half, "");
    return;
  }
  EXPECT_EQ(std::ranges::count(single, '\n'), 3) << single;
  EXPECT_EQ(std::ranges::count(half, '\n'), 3) << half;
  EXPECT_THAT(single,
              HasSubstr("convolution_2d: cuDNN has no algorithm for y of "
                        "float32 x (2, 3, 5, 6), W (4, 3, 3, 2) that needs at "
                        "most 1024 MiB of workspace"));
  EXPECT_THAT(single, HasSubstr("it is computed by matrix products"));
  EXPECT_THAT(half, HasSubstr("it is computed in float32"));
}

TEST_P(ConvolutionCudnnTest, OwnKernelsComputeWhatCudnnDoesNotSupport) {
  convolution_cudnn.fill(fail_late);
  for (const Dtype dtype : testing::float_dtypes()) {
    const Array x = testing::uniform({2, 3, 5, 6}).astype(dtype);
    const Array W = testing::uniform({4, 3, 3, 2}).astype(dtype);
    const Array b = testing::uniform({4}).astype(dtype);
    const auto results_on = [&](Device device) {
      const Variable in(x.to_device(device));
      const Variable weights(W.to_device(device));
      const Variable y = convolution_2d(in, weights, b.to_device(device));
      y.set_grad(array::ones_like(y.data()));
      y.backward();
      return std::vector<Array>{y.data(), in.grad(), weights.grad()};
    };
    const std::vector<Array> results = results_on(device());
    const std::vector<Array> expected = results_on(native_device());
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_THAT(results[i], testing::IsClose(expected[i])) << dtype;
    }
  }
}

}  // namespace
}  // namespace catena::functions
