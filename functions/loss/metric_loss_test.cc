// Losses of distances: contrastive and triplet.

#include <gmock/gmock.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/loss/contrastive.h"
#include "catena/functions/loss/triplet.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class MetricLossTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(MetricLoss, MetricLossTest, testing::every_device(),
                         testing::device_name);

TEST_P(MetricLossTest, GradientsMatchFiniteDifferences) {
  for (const std::string_view reduce : {"mean", "no"}) {
    const Array a = testing::uniform({4, 3});
    const Array b = testing::uniform({4, 3}, -1, 1, Dtype::kFloat64, 4);
    const Array c = testing::uniform({4, 3}, -1, 1, Dtype::kFloat64, 5);
    const Array y = array::array({0, 1, 1, 0}).astype(Dtype::kInt32);
    testing::check_function_gradients(
        [&](const Variable& x0, const Variable& x1) {
          return contrastive(x0, x1, y, {.margin = 3, .reduce = reduce});
        },
        {a, b});
    testing::check_function_gradients(
        [&](const Variable& a, const Variable& p, const Variable& n) {
          return triplet(a, p, n, {.margin = 5, .reduce = reduce});
        },
        {a, b, c});
  }
  // No pair at all, and vectors without elements, which are all the same.
  const Array none = array::zeros({0, 3});
  testing::check_function_gradients(
      [&](const Variable& x0, const Variable& x1) {
        return contrastive(x0, x1, array::zeros({0}, Dtype::kInt32),
                           {.reduce = "no"});
      },
      {none, none});
  const Variable empty(array::zeros({2, 0}));
  EXPECT_THAT(
      contrastive(empty, empty, array::array({0, 1}), {.reduce = "no"}).data(),
      testing::IsClose(array::array({0.5, 0.0})));
}

TEST_P(MetricLossTest, KeepsTheDtype) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x0(array::array({{3.0, 0.0}, {0.0, 1.0}}).astype(dtype));
    const Variable x1(array::array({{0.0, 4.0}, {0.0, 1.0}}).astype(dtype));
    const Variable loss =
        contrastive(x0, x1, array::array({1, 0}), {.reduce = "no"});
    EXPECT_THAT(loss.data(),
                testing::IsClose(array::array({12.5, 0.5}).astype(dtype)));
    loss.set_grad(array::ones({2}, dtype));
    loss.backward();
    // Finite for the pair at distance 0, though the root has no slope there.
    EXPECT_THAT(x0.grad(),
                testing::IsClose(
                    array::array({{3.0, -4.0}, {0.0, 0.0}}).astype(dtype)));
    EXPECT_THAT(triplet(x0, x0, x1).data(),
                testing::IsClose(array::array(0.1).astype(dtype)));
  }
}

TEST(MetricLossErrorTest, NamesWhatItRejects) {
  const Variable x(array::zeros({2, 3}));
  const Array y = array::zeros({2}, Dtype::kInt32);
  const auto invalid = [&](const Variable& x1, const Array& y,
                           std::string_view text) {
    EXPECT_THAT(error_of<InvalidType>([&] { contrastive(x, x1, y); }),
                HasSubstr(std::string(text)));
  };
  invalid(Variable(array::zeros({3})), y, "Expect: x0.shape == x1.shape");
  invalid(x, array::zeros({3}, Dtype::kInt32),
          "Expect: y.shape[0] == x0.shape[0]\nActual: 3 != 2");
  invalid(x, array::zeros({2}), "Expect: y.dtype is an integer");
  const Variable flat(array::zeros({3}));
  EXPECT_THAT(error_of<InvalidType>([&] { triplet(flat, flat, flat); }),
              HasSubstr("Expect: anchor.ndim == 2"));
  EXPECT_THAT(error_of<ValueError>([&] {
                contrastive(x, x, array::array({0, 2}));
              }),
              HasSubstr("contrastive: expected labels from 0 to 1, got 2"));
  EXPECT_THAT(
      error_of<ValueError>([&] { contrastive(x, x, y, {.margin = 0}); }),
      HasSubstr("contrastive: expected a positive margin, got 0"));
  EXPECT_THAT(error_of<ValueError>([&] { triplet(x, x, x, {.margin = -1}); }),
              HasSubstr("margin, got -1"));
  EXPECT_THAT(
      error_of<ValueError>([&] { triplet(x, x, x, {.reduce = "sum"}); }),
      HasSubstr("got \"sum\""));
}

}  // namespace
}  // namespace catena::functions
