#include "catena/functions/evaluation/r2_score.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class R2ScoreTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(R2Score, R2ScoreTest, testing::every_device(),
                         testing::device_name);

TEST_P(R2ScoreTest, IsZeroWhereTheTruthDoesNotVary) {
  const Variable truth(array::array({{1.0, 1.0}, {3.0, 1.0}}));
  const Variable pred(array::array({{1.0, 1.0}, {2.0, 2.0}}));
  EXPECT_THAT(r2_score(pred, truth, {.multioutput = "raw_values"}).data(),
              testing::IsClose(array::array({0.5, 0.0})));
  EXPECT_THAT(r2_score(pred, truth).data(),
              testing::IsClose(array::array(0.25)));
}

TEST(R2ScoreErrorTest, NamesWhatItRejects) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(
      error_of<InvalidType>([&] { r2_score(x, Variable(array::zeros({2}))); }),
      HasSubstr("Expect: pred.shape == truth.shape"));
  EXPECT_THAT(
      error_of<ValueError>([&] { r2_score(x, x, {.multioutput = "mean"}); }),
      HasSubstr("r2_score: expected multioutput \"uniform_average\" or "
                "\"raw_values\", got \"mean\""));
}

}  // namespace
}  // namespace catena::functions
