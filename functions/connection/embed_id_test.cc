#include "catena/functions/connection/embed_id.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class EmbedIdTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(EmbedId, EmbedIdTest, testing::every_device(),
                         testing::device_name);

TEST_P(EmbedIdTest, GradientsMatchFiniteDifferences) {
  const Array x = array::array({{2, 0}, {2, 1}, {2, 0}}, Dtype::kInt32);
  const Array nothing = array::zeros({0}, Dtype::kInt64);
  const Array W = testing::uniform({4, 3});
  for (const Array& labels : {x, nothing}) {
    testing::check_function_gradients(
        [&](const Variable& W) { return embed_id(labels, W); }, {W});
    testing::check_function_gradients(
        [&](const Variable& W) {
          return embed_id(labels, W, {.ignore_label = 2});
        },
        {W});
  }
}

TEST_P(EmbedIdTest, IgnoredLabelsGiveZerosAndNoGradient) {
  const Variable W(array::ones({2, 2}));
  const Array x = array::array({-7, 1, 1}, Dtype::kInt32);
  const Variable y = embed_id(x, W, {.ignore_label = -7});
  EXPECT_THAT(
      y.data(),
      testing::IsArray(array::array({{0.0, 0.0}, {1.0, 1.0}, {1.0, 1.0}})));
  y.set_grad(array::ones({3, 2}));
  y.backward();
  EXPECT_THAT(W.grad(),
              testing::IsArray(array::array({{0.0, 0.0}, {2.0, 2.0}})));
}

// After the first, gradients are added where the sum is.
TEST_P(EmbedIdTest, GradientsOfSharedVectorsAddUp) {
  const Variable W(array::ones({3, 2}));
  Variable y = embed_id(array::array({0, 1}, Dtype::kInt32), W);
  y += embed_id(array::array({1, 1}, Dtype::kInt32), W);
  y += embed_id(array::array({2, 0}, Dtype::kInt32), W, {.ignore_label = 2});
  y.set_grad(array::array({{1.0, 10.0}, {2.0, 20.0}}));
  y.backward();
  EXPECT_THAT(
      W.grad(),
      testing::IsArray(array::array({{3.0, 30.0}, {5.0, 50.0}, {0.0, 0.0}})));
}

TEST_P(EmbedIdTest, NamesALabelOutOfRange) {
  const Variable W(array::ones({2, 2}));
  const Array above = array::array({0, 2}, Dtype::kInt32);
  const auto embed = [&](const Array& x, const EmbedIdOptions& options = {}) {
    const Variable y = embed_id(x, W, options);
    synchronize(device());  // a GPU's error comes with the wait
    return y;
  };
  EXPECT_THAT(error_of<ValueError>([&] { embed(above); }),
              HasSubstr("embed_id: expected labels from 0 to 1, got 2"));
  const Array below = array::array({-1, 2}, Dtype::kInt32);
  EXPECT_THAT(error_of<ValueError>([&] { embed(below, {.ignore_label = 2}); }),
              HasSubstr("from 0 to 1 or 2, which is ignored, got -1 for 2 "
                        "classes"));
  const Array huge = array::array({int64_t{1} << 40, int64_t{0}});
  EXPECT_THAT(error_of<ValueError>([&] {
                const Variable y = embed_id(huge, W);
                y.set_grad(array::ones_like(y.data()));
                y.backward();
                synchronize(device());
              }),
              HasSubstr("got 1099511627776"));
  EXPECT_THAT(embed(array::array({1, 0}, Dtype::kInt32)).data(),
              testing::IsArray(array::ones({2, 2})));
}

TEST(EmbedIdErrorTest, NamesWhatDoesNotFit) {
  const Array x = array::zeros({2}, Dtype::kInt32);
  const Variable W(array::zeros({4, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] { embed_id(array::zeros({2}), W); }),
              HasSubstr("Invalid operation is performed in: embed_id"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { embed_id(x, Variable(array::zeros({4}))); }),
      HasSubstr("Expect: W.ndim == 2"));
  EXPECT_THAT(error_of<InvalidType>([&] { embed_id(x, Variable(x)); }),
              HasSubstr("W.dtype is floating"));
}

}  // namespace
}  // namespace catena::functions
