#include "catena/functions/evaluation/accuracy.h"

#include <gmock/gmock.h>

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

class AccuracyTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Accuracy, AccuracyTest, testing::every_device(),
                         testing::device_name);

TEST_P(AccuracyTest, TakesFurtherAxesOfExtentOne) {
  const Variable y(
      array::array({{1.0, 2.0}, {2.0, 1.0}}).reshape({2, 2, 1, 1}));
  EXPECT_THAT(accuracy(y, array::array({1, 1})).data(),
              testing::IsArray(array::array(0.5)));
}

TEST_P(AccuracyTest, RecordsNoGraph) {
  const Variable y(array::zeros({2, 3}));
  const Variable result = accuracy(y, array::array({0, 1}));
  EXPECT_EQ(result.creator_node(), nullptr);
}

TEST(AccuracyErrorTest, NamesWhatDoesNotFit) {
  const Variable y(array::zeros({3, 4, 2}));
  const auto invalid = [&](const Array& t, std::string_view text) {
    EXPECT_THAT(error_of<InvalidType>([&] { accuracy(y, t); }),
                HasSubstr(std::string(text)));
  };
  invalid(array::zeros({2, 2}, Dtype::kInt32),
          "Expect: y.shape[0] == t.shape[0]\nActual: 3 != 2");
  invalid(array::zeros({3, 3}, Dtype::kInt32),
          "Expect: y.shape[2] == t.shape[1]\nActual: 2 != 3");
  invalid(array::zeros({3}, Dtype::kInt32),
          "Expect: y.shape[2] == 1\nActual: 2 != 1");
  invalid(array::zeros({3, 2}),
          "Expect: t.dtype is an integer\nActual: float64 (labels and indices "
          "are integers: t.astype(Dtype::kInt32))");
}

}  // namespace
}  // namespace catena::functions
