// Gradients of inputs without elements, of functions whose own tests have none.

#include <gtest/gtest.h>

#include <vector>

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/functions.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using testing::check_function_gradients;
using testing::uniform;

class ZeroSizeTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(ZeroSize, ZeroSizeTest, testing::every_device(),
                         testing::device_name);

TEST_P(ZeroSizeTest, ElementwiseGradients) {
  const Array x = uniform({2, 0});
  check_function_gradients([](const Variable& x) { return identity(x); }, {x});
  check_function_gradients(
      [](const Variable& x, const Variable& y) {
        return squared_difference(x, y);
      },
      {x, x});
  check_function_gradients([](const Variable& x) { return pow(x, 2); }, {x});
  check_function_gradients(
      [](const Variable& x) {
        return sum_to(x, {1, 0});
      },
      {x});
  check_function_gradients(
      [](const Variable& x, const Variable& y) {
        return broadcast({x, y});
      },
      {x, uniform({1, 0})});
  check_function_gradients(
      [](const Variable& x) {
        return forget([](const Variable& x) { return x * x; }, x);
      },
      {x}, {.second_order = false});
  const auto test_mode = using_config(&Config::train, false);
  check_function_gradients(
      [](const Variable& h, const Variable& x) { return zoneout(h, x); },
      {x, x});
}

TEST_P(ZeroSizeTest, GradientsWithFixedStatistics) {
  check_function_gradients(
      [](const Variable& x, const Variable& gamma, const Variable& beta) {
        const Variable zeros(array::zeros({3}));
        const Variable ones(array::ones({3}));
        return fixed_batch_normalization(x, gamma, beta, zeros, ones);
      },
      {uniform({0, 3}), uniform({3}), uniform({3})});
}

// One node serves windows over any number of axes; the extents differ.
TEST_P(ZeroSizeTest, WindowGradients) {
  check_function_gradients(
      [](const Variable& x) { return average_pooling_1d(x, 2); },
      {uniform({0, 2, 4})});
  check_function_gradients(
      [](const Variable& x) { return max_pooling_3d(x, 2); },
      {uniform({0, 2, 4, 4, 4})});
  check_function_gradients(
      [](const Variable& x) { return average_pooling_nd(x, 2); },
      {uniform({2, 0, 4, 4})});
  check_function_gradients([](const Variable& x) { return unpooling_3d(x, 2); },
                           {uniform({0, 2, 2, 2, 2})});
  check_function_gradients(
      [](const Variable& x, const Variable& W) {
        return deconvolution_1d(x, W);
      },
      {uniform({0, 2, 4}), uniform({2, 3, 2})});
  check_function_gradients(
      [](const Variable& x, const Variable& W) {
        return dilated_convolution_2d(x, W, {}, {.dilate = 2});
      },
      {uniform({0, 2, 5, 5}), uniform({3, 2, 2, 2})});
}

}  // namespace
}  // namespace catena::functions
