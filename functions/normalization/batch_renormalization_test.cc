#include "catena/functions/normalization/batch_renormalization.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

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

// Corrections within their bounds undo the batch's statistics, and leave the
// running ones: (x - running_mean) / s_run.
TEST_P(BatchRenormalizationTest, RunningStatisticsDefaultToZeroAndOne) {
  const Array x = testing::uniform({4, 3});
  const Array gamma = testing::uniform({3}, 0.5, 1.5, Dtype::kFloat64, 1);
  const Array beta = testing::uniform({3}, -1, 1, Dtype::kFloat64, 2);
  constexpr double kEps = 0.1;
  for (const bool has_mean : {false, true}) {
    for (const bool has_var : {false, true}) {
      SCOPED_TRACE(str("mean ", has_mean, ", variance ", has_var));
      BatchRenormalizationOptions options = {.eps = kEps};
      if (has_mean) options.running_mean = array::full({3}, 0.25);
      if (has_var) options.running_var = array::full({3}, 3.0);
      const Array y = batch_renormalization(Variable(x), Variable(gamma),
                                            Variable(beta), 1000, 1000, options)
                          .data();
      const Array centered = x - (has_mean ? 0.25 : 0.0);
      const double std = std::sqrt((has_var ? 3.0 : 1.0) + kEps);
      EXPECT_THAT(y, testing::IsClose(gamma * centered / std + beta));
    }
  }
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
  EXPECT_THAT(error_of<ValueError>(
                  [&] { batch_renormalization(x, three, three, 0.5, 0); }),
              HasSubstr("expected rmax >= 1 and dmax >= 0, got 0.5 and 0"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { batch_renormalization(x, three, three, 1, -1); }),
              HasSubstr("got 1 and -1"));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        batch_renormalization(x, three, Variable(array::ones({2})), 1, 0);
      }),
      HasSubstr("batch_renormalization (Forward)\n\nExpect: beta.shape[0] == "
                "x.shape[1]\nActual: 2 != 3"));
}

}  // namespace
}  // namespace catena::functions
