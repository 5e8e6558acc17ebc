#include <gmock/gmock.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/array/pad_sequence.h"
#include "catena/functions/array/transpose_sequence.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class SequenceTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Sequence, SequenceTest, testing::every_device(),
                         testing::device_name);

TEST_P(SequenceTest, GradientsMatchFiniteDifferences) {
  const std::vector<Array> xs = {testing::uniform({3, 2}),
                                 testing::uniform({1, 2}),
                                 testing::uniform({0, 2})};
  testing::check_function_gradients(
      [](const Variables& xs) {
        return pad_sequence(xs, {.length = 4, .padding = 7});
      },
      xs);
  testing::check_function_gradients(
      [](const Variables& xs) { return transpose_sequence(xs); }, xs);
}

TEST_P(SequenceTest, TimesThatNobodyUsesHaveZeroGradients) {
  const Variable a(testing::uniform({3}));
  const Variable b(testing::uniform({2}));
  const Variable y = transpose_sequence({a, b})[1];
  y.set_grad(array::array({1.0, 2.0}));
  y.backward();
  EXPECT_THAT(a.grad(), testing::IsArray(array::array({0.0, 1.0, 0.0})));
  EXPECT_THAT(b.grad(), testing::IsArray(array::array({0.0, 2.0})));
}

TEST_P(SequenceTest, SequencesWithoutLengthTransposeToNothing) {
  EXPECT_TRUE(transpose_sequence({Variable(array::zeros({0, 2}))}).empty());
}

TEST(SequenceErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  const Variable longer(array::zeros({3, 3}));
  const Variable wider(array::zeros({1, 4}));
  const Variable scalar(array::zeros({}));
  const std::span<const Variable> none;
  const auto expect_invalid = [](const std::function<void()>& f,
                                 const std::string& message) {
    EXPECT_THAT(error_of<InvalidType>(f), HasSubstr(message));
  };
  expect_invalid([&] { pad_sequence(none); }, "Expect: size(in_types) > 0");
  expect_invalid([&] { transpose_sequence(none); },
                 "Expect: size(in_types) > 0");
  expect_invalid([&] { pad_sequence({scalar}); },
                 "pad_sequence (Forward)\n\nExpect: in_types[0].ndim > 0");
  expect_invalid(
      [&] {
        pad_sequence({x, wider});
      },
      "Expect: in_types[0].shape[1] == in_types[1].shape[1]");
  expect_invalid(
      [&] {
        transpose_sequence({x, wider});
      },
      "Expect: in_types[0].shape[1] == in_types[1].shape[1]");
  expect_invalid(
      [&] {
        transpose_sequence({x, longer});
      },
      "transpose_sequence (Forward)\n\nExpect: in_types[0].shape[0] "
      ">= in_types[1].shape[0]\nActual: 2 < 3");
  EXPECT_THAT(
      error_of<ValueError>([&] {
        pad_sequence({x, longer}, {.length = 2});
      }),
      HasSubstr("pad_sequence: expected a length of at least 3, that of "
                "the longest sequence, got 2"));
}

}  // namespace
}  // namespace catena::functions
