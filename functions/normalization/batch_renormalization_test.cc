#include "catena/functions/normalization/batch_renormalization.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class BatchRenormalizationTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(BatchRenormalization, BatchRenormalizationTest,
                         testing::every_device(), testing::device_name);

// Without corrections it is batch normalization.
TEST_P(BatchRenormalizationTest, WithoutCorrectionsItNormalizesTheBatch) {
  const Variable x(testing::uniform({4, 3}));
  const Variable gamma(testing::uniform({3}, 0.5, 1.5, Dtype::kFloat64, 1));
  const Variable beta(testing::uniform({3}, -1, 1, Dtype::kFloat64, 2));
  EXPECT_THAT(batch_renormalization(x, gamma, beta, 1, 0).data(),
              testing::IsClose(batch_normalization(x, gamma, beta).data()));
}

TEST_P(BatchRenormalizationTest, GradientsMatchFiniteDifferences) {
  // Corrections at their bounds, where they do not move with x.
  const auto function = [](const Variable& x, const Variable& gamma,
                           const Variable& beta) {
    return batch_renormalization(x, gamma, beta, 1.5, 0.5,
                                 {.eps = 0.1,
                                  .running_mean = array::full({3}, -5.0),
                                  .running_var = array::full({3}, 0.01)});
  };
  testing::check_function_gradients(
      function, {testing::uniform({4, 3, 2}, -4, 4),
                 testing::uniform({3}, 0.5, 1.5, Dtype::kFloat64, 1),
                 testing::uniform({3}, -1, 1, Dtype::kFloat64, 2)});
}

TEST(BatchRenormalizationErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  const Variable three(array::ones({3}));
  EXPECT_THAT([&] { batch_renormalization(x, three, three, 0.5, 0); },
              ThrowsMessage<ValueError>(HasSubstr(
                  "expected rmax >= 1 and dmax >= 0, got 0.5 and 0")));
  EXPECT_THAT([&] { batch_renormalization(x, three, three, 1, -1); },
              ThrowsMessage<ValueError>(HasSubstr("got 1 and -1")));
  EXPECT_THAT(
      [&] {
        batch_renormalization(x, three, Variable(array::ones({2})), 1, 0);
      },
      ThrowsMessage<InvalidType>(HasSubstr(
          "batch_renormalization (Forward)\n\nExpect: beta.shape[0] == "
          "x.shape[1]\nActual: 2 != 3")));
}

}  // namespace
}  // namespace catena::functions
