#include "catena/functions/loss/discriminative_loss.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

std::vector<Variable> losses_of(const Variable& embeddings,
                                const Variable& labels, int64_t instances,
                                const DiscriminativeLossOptions& options) {
  const auto [variance, distance, regularization] =
      discriminative_margin_based_clustering_loss(embeddings, labels, 0.5, 1.5,
                                                  instances, options);
  return {variance, distance, regularization};
}

class DiscriminativeLossTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(DiscriminativeLoss, DiscriminativeLossTest,
                         testing::every_device(), testing::device_name);

// More images than instances, and other sizes than Chainer takes.
TEST_P(DiscriminativeLossTest, GradientsMatchFiniteDifferences) {
  array::random::Generator generator(3, current_device());
  const Variable labels(generator.randint(0, 4, {2, 3, 4}));
  for (const int64_t norm : {1, 2}) {
    testing::check_function_gradients(
        [&](const Variable& x) {
          const std::vector<Variable> losses =
              losses_of(x, labels, 3, {.norm = norm, .gamma = 1});
          return Variables(losses.begin(), losses.end());
        },
        {testing::uniform({2, 5, 3, 4})});
  }
}

// A pixel at its mean, and means that are equal, have no direction.
TEST_P(DiscriminativeLossTest, GradientIsFiniteAtDistanceZero) {
  const Variable x(array::ones({1, 2, 1, 2}));
  const Variable labels(array::array({{{1, 2}}}));
  const std::vector<Variable> losses = losses_of(x, labels, 2, {.norm = 2});
  EXPECT_THAT(losses[0].data(), testing::IsClose(array::array(0.0)));
  EXPECT_THAT(losses[1].data(), testing::IsClose(array::array(9.0)));
  backward({losses[0], losses[1]});
  EXPECT_THAT(x.grad(), testing::IsClose(array::zeros({1, 2, 1, 2})));
}

TEST(DiscriminativeLossErrorTest, NamesWhatItRejects) {
  const Variable x(array::zeros({2, 5, 3, 4}));
  const Variable t(array::zeros({2, 3, 4}, Dtype::kInt32));
  EXPECT_THAT(error_of<ValueError>([&] { losses_of(x, t, 3, {.norm = 3}); }),
              HasSubstr("expected norm 1 or 2, got 3"));
  EXPECT_THAT(error_of<ValueError>([&] { losses_of(x, t, 0, {}); }),
              HasSubstr("expected max_embedding_dim of at least 1, got 0"));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        losses_of(x, Variable(array::zeros({2, 4, 3}, Dtype::kInt32)), 3, {});
      }),
      HasSubstr(
          "Expect: embeddings.shape[2] == labels.shape[1]\nActual: 3 != 4"));
  EXPECT_THAT(error_of<InvalidType>([&] { losses_of(x, x, 3, {}); }),
              HasSubstr("Expect: labels.dtype is an integer"));
}

}  // namespace
}  // namespace catena::functions
