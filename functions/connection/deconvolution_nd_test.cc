#include "catena/functions/connection/deconvolution_nd.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/spatial.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::uniform;
using ::testing::HasSubstr;

class DeconvolutionTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Deconvolution, DeconvolutionTest,
                         testing::every_device(), testing::device_name);

TEST_P(DeconvolutionTest, GradientsMatchFiniteDifferences) {
  const auto check = [](const DeconvolutionOptions& options, const Shape& x,
                        const Shape& W) {
    const int64_t channels = W[1] * options.groups;
    testing::check_function_gradients(
        [&](const Variable& x, const Variable& W, const Variable& b) {
          return deconvolution_nd(x, W, b, options);
        },
        {uniform(x), uniform(W, -1, 1, Dtype::kFloat64, 1),
         uniform({channels}, -1, 1, Dtype::kFloat64, 2)});
  };
  check({}, {2, 3, 2, 3}, {3, 2, 2, 2});
  check({.stride = 2, .pad = {0, 1}, .outsize = Spatial{5, 4}}, {1, 2, 2, 2},
        {2, 2, 2, 3});
  check({.dilate = 2, .groups = 2}, {1, 4, 3}, {4, 1, 2});
  check({}, {0, 2, 3}, {2, 2, 2});
  check({}, {2, 0, 3}, {0, 2, 2});
}

TEST_P(DeconvolutionTest, IsTheTransposeOfTheConvolution) {
  // <convolution(x, W), y> == <x, deconvolution(y, W)>, in float32 too.
  const Array x = uniform({2, 16, 12, 12}, -1, 1, Dtype::kFloat32);
  const Array W = uniform({16, 16, 3, 3}, -1, 1, Dtype::kFloat32, 1);
  const Variable image(x);
  const Variable y = convolution_2d(image, Variable(W), {}, {.pad = 1});
  const Array gy = uniform(y.shape(), -1, 1, Dtype::kFloat32, 2);
  y.set_grad(gy);
  y.backward();
  EXPECT_THAT(deconvolution_2d(Variable(gy), Variable(W), {}, {.pad = 1})
                  .data()
                  .to_device(native_device()),
              testing::IsArray(image.grad().to_device(native_device())));
}

TEST(DeconvolutionErrorTest, NamesWhatDoesNotFit) {
  const auto zeros = [](const Shape& shape, Dtype dtype = Dtype::kFloat32) {
    return Variable(array::zeros(shape, dtype));
  };
  const Variable x = zeros({2, 4, 5, 6});
  const Variable W = zeros({4, 3, 3, 3});
  const auto rejects = [](const auto& call, const std::string& message) {
    EXPECT_THAT(error_of<InvalidType>(call), HasSubstr(message));
  };
  rejects(
      [&] {
        deconvolution_2d(x, zeros({3, 4, 3, 3}));
      },
      "Invalid operation is performed in: deconvolution_2d (Forward)\n\n"
      "Expect: W.shape[0] == x.shape[1]\nActual: 3 != 4\n"
      "Inputs: x float32 (2, 4, 5, 6), W float32 (3, 4, 3, 3)");
  rejects([&] { deconvolution_2d(x, W, {}, {.groups = 3}); },
          "Expect: W.shape[0] % groups == 0\nActual: 1 != 0");
  rejects(
      [&] {
        deconvolution_2d(x, W, {}, {.outsize = Spatial{7, 9}});
      },
      "Expect: an outsize that a convolution maps to (5, 6)\n"
      "Actual: outsize (7, 9)");
  rejects([&] { deconvolution_2d(x, W, {}, {.pad = 4}); },
          "Actual: outsize (-1, 0)");
  rejects([&] { deconvolution_3d(x, W); }, "Expect: x.ndim == 5");
  rejects([&] { deconvolution_2d(x, W, zeros({4})); },
          "Expect: W.shape[1] * groups == b.shape[0]\nActual: 3 != 4");
  EXPECT_THAT(error_of<ValueError>([&] {
                deconvolution_2d(x, W, {}, {.outsize = Spatial{0, 8}});
              }),
              HasSubstr("outsize of at least 1"));
  EXPECT_THAT(
      error_of<ValueError>([&] { deconvolution_2d(x, W, {}, {.groups = -1}); }),
      HasSubstr("groups of at least 1"));
}

}  // namespace
}  // namespace catena::functions
