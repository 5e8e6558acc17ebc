#include "catena/functions/connection/internal/convolution_cudnn.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "catena/array/creation.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

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
