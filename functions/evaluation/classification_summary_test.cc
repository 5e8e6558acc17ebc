#include "catena/functions/evaluation/classification_summary.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>

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

class ClassificationSummaryTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(ClassificationSummary, ClassificationSummaryTest,
                         testing::every_device(), testing::device_name);

// Predictions 2, 0, 1, where 2 is no class when label_num is 2.
TEST_P(ClassificationSummaryTest, CountsWithFurtherAxesAndFewerClasses) {
  const Variable y(
      array::array({{{0.0, 9.0, 0.0}, {1.0, 0.0, 2.0}, {5.0, 1.0, 1.0}}}));
  const Array t = array::array({{1, 0, 0}});
  const ClassificationSummary s =
      classification_summary(y, as_variable(t), {.label_num = 2});
  EXPECT_THAT(s.precision.data(), testing::IsArray(array::array({1.0, 0.0})));
  EXPECT_THAT(s.recall.data(), testing::IsArray(array::array({0.5, 0.0})));
  EXPECT_THAT(s.support.data(), testing::IsArray(array::array({2, 1})));
  EXPECT_EQ(s.precision.creator_node(), nullptr);
}

TEST_P(ClassificationSummaryTest, AClassThatIsNowhereIsNan) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Variable y(array::array({{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}));
  const auto [score, support] =
      precision(y, as_variable(array::array({0, 1})), {.label_num = 3});
  EXPECT_THAT(score.data(), testing::IsArray(array::array({0.5, kNan, kNan})));
  EXPECT_THAT(support.data(), testing::IsArray(array::array({1, 1, 0})));
  const auto [all, none] =
      recall(y, as_variable(array::array({-1, -1})), {.label_num = 3});
  EXPECT_THAT(all.data(), testing::IsArray(array::full({3}, kNan)));
  EXPECT_THAT(none.data(), testing::IsArray(array::array({0, 0, 0})));
}

TEST(ClassificationSummaryErrorTest, NamesWhatItRejects) {
  const Variable y(array::zeros({2, 3}));
  const auto invalid = [&](const Array& t, std::string_view text) {
    EXPECT_THAT(error_of<InvalidType>(
                    [&] { classification_summary(y, as_variable(t)); }),
                HasSubstr(std::string(text)));
  };
  invalid(array::zeros({3}, Dtype::kInt32),
          "Expect: y.shape[0] == t.shape[0]\nActual: 2 != 3");
  invalid(array::zeros({2}), "Expect: t.dtype is an integer");
  invalid(array::zeros({2, 1}, Dtype::kInt32), "Expect: t.ndim == y.ndim - 1");
  EXPECT_THAT(
      error_of<ValueError>([&] {
        f1_score(y, as_variable(array::array({0, 2})), {.label_num = 2});
      }),
      HasSubstr(
          "f1_score: expected labels from 0 to 1 or -1, which is ignored, "
          "got 2 for 2 classes"));
  EXPECT_THAT(error_of<ValueError>([&] {
                recall(y, as_variable(array::array({0, -2})));
              }),
              HasSubstr("recall: "));
}

}  // namespace
}  // namespace catena::functions
