#include "catena/functions/loss/huber_loss.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class HuberLossTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(HuberLoss, HuberLossTest, testing::every_device(),
                         testing::device_name);

TEST_P(HuberLossTest, GradientsMatchFiniteDifferences) {
  for (const Shape& shape : {Shape{4, 5}, Shape{2, 3, 2}, Shape{0, 3}}) {
    const Array t = testing::uniform(shape);
    // Differences in (0.2, 1): on both sides of a delta of 0.6, none near it.
    const Array x = t + testing::away_from_zero(shape, 0.2, 1.0);
    for (const std::string_view reduce : {"sum_along_second_axis", "no"}) {
      for (const double delta : {0.1, 1.5}) {
        testing::check_function_gradients(
            [&](const Variable& x, const Variable& t) {
              return huber_loss(x, t, delta, {.reduce = reduce});
            },
            {x, t});
      }
    }
  }
}

TEST_P(HuberLossTest, IsASquareUpToDeltaAndALineBeyond) {
  const Variable x(array::array({{0.0, 1.0, 2.0, -2.0}}));
  const Variable t(array::zeros({1, 4}));
  const Variable y = huber_loss(x, t, 1, {.reduce = "no"});
  EXPECT_THAT(y.data(), testing::IsClose(array::array({{0.0, 0.5, 1.5, 1.5}})));
  y.set_grad(array::ones({1, 4}));
  y.backward();
  EXPECT_THAT(x.grad(),
              testing::IsClose(array::array({{0.0, 1.0, 1.0, -1.0}})));
}

// Rows longer than a register, strided rows, in every dtype.
TEST_P(HuberLossTest, SumsWhatItGivesForEachElement) {
  for (const Dtype dtype : testing::float_dtypes()) {
    for (const Shape& shape : {Shape{5, 257}, Shape{3, 40, 4}, Shape{2, 0}}) {
      const Array x = testing::uniform(shape, -2, 2).astype(dtype);
      const Array t =
          testing::uniform(shape, -2, 2, Dtype::kFloat64, 4).astype(dtype);
      const Variable wide_x(x.astype(Dtype::kFloat64));
      const Variable wide_t(t.astype(Dtype::kFloat64));
      const Array losses =
          huber_loss(wide_x, wide_t, 1, {.reduce = "no"}).data();
      EXPECT_THAT(
          huber_loss(Variable(x), Variable(t), 1).data(),
          testing::IsClose(array::sum(losses, {.axis = 1}).astype(dtype)));
    }
  }
}

TEST(HuberLossErrorTest, NamesWhatItRejects) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                huber_loss(x, Variable(array::zeros({2, 1})), 1);
              }),
              HasSubstr("Expect: x.shape == t.shape"));
  const Variable flat(array::zeros({3}));
  EXPECT_THAT(error_of<InvalidType>([&] { huber_loss(flat, flat, 1); }),
              HasSubstr("Expect: x.ndim > 1\nActual: 1 <= 1"));
  EXPECT_THAT(error_of<ValueError>([&] { huber_loss(x, x, -1); }),
              HasSubstr("huber_loss: expected delta of at least 0, got -1"));
  EXPECT_THROW(huber_loss(x, x, NAN), ValueError);
  EXPECT_THAT(
      error_of<ValueError>([&] { huber_loss(x, x, 1, {.reduce = "mean"}); }),
      HasSubstr("huber_loss: expected reduce \"sum_along_second_axis\" or "
                "\"no\", got \"mean\""));
}

}  // namespace
}  // namespace catena::functions
