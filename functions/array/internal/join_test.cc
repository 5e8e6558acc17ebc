#include "catena/functions/array/internal/join.h"

#include <gmock/gmock.h>

#include <functional>
#include <span>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/dstack.h"
#include "catena/functions/array/hstack.h"
#include "catena/functions/array/separate.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/array/stack.h"
#include "catena/functions/array/vstack.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class JoinTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Join, JoinTest, testing::every_device(),
                         testing::device_name);

TEST_P(JoinTest, GradientsMatchFiniteDifferences) {
  for (const int64_t axis : {0, 1, -1}) {
    testing::check_function_gradients(
        [&](const Variable& a, const Variable& b) {
          return stack({a, b}, {.axis = axis});
        },
        {testing::uniform({2, 3}), testing::uniform({2, 3})});
  }
  testing::check_function_gradients(
      [](const Variable& a, const Variable& b) {
        return Variables{hstack({a, b}), vstack({a, b}), dstack({a, b})};
      },
      {testing::uniform({2, 3}), testing::uniform({2, 3})});
  testing::check_function_gradients(
      [](const Variable& a, const Variable& b) {
        return Variables{hstack({a, b}), vstack({a, b}), dstack({a, b})};
      },
      {testing::uniform({0}), testing::uniform({0})});
}

TEST_P(JoinTest, PartsHaveTheirGradients) {
  testing::check_function_gradients(
      [](const Variable& x) {
        return split_axis(x, {1, 1, 3}, 1);
      },
      {testing::uniform({2, 4})});
  testing::check_function_gradients(
      [](const Variable& x) { return split_axis(x, 2, -2); },
      {testing::uniform({4, 0})});
  testing::check_function_gradients(
      [](const Variable& x) { return separate(x, {.axis = 1}); },
      {testing::uniform({2, 3, 2})});
}

TEST_P(JoinTest, PartsThatNobodyUsesHaveZeroGradients) {
  const Variable x(testing::uniform({2, 4}));
  const Variable y = split_axis(x, {1, 3}, 1)[1];
  y.set_grad(array::ones({2, 2}));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(array::array(
                            {{0.0, 1.0, 1.0, 0.0}, {0.0, 1.0, 1.0, 0.0}})));
  x.cleargrad();
  const Variable z = separate(x, {.axis = 1})[3];
  z.set_grad(array::ones({2}));
  z.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(array::array(
                            {{0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0, 1.0}})));
}

TEST_P(JoinTest, JoinsScalars) {
  const Variable a(array::full({}, 1.0));
  const Variable b(array::full({}, 2.0));
  EXPECT_THAT(hstack({a, b}).data(),
              testing::IsArray(array::array({1.0, 2.0})));
  EXPECT_THAT(vstack({a, b}).data(),
              testing::IsArray(array::array({{1.0}, {2.0}})));
  EXPECT_THAT(dstack({a, b}).data(),
              testing::IsArray(array::array({{{1.0, 2.0}}})));
}

TEST_P(JoinTest, AnAxisWithoutExtentSeparatesIntoNothing) {
  EXPECT_TRUE(
      separate(Variable(testing::uniform({2, 0})), {.axis = 1}).empty());
}

TEST(JoinErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  const Variable other(array::zeros({2, 4}));
  const std::span<const Variable> none;
  for (const auto& f : std::vector<std::function<void()>>{
           [&] { stack(none); }, [&] { hstack(none); }, [&] { vstack(none); },
           [&] { dstack(none); }}) {
    EXPECT_THAT(error_of<InvalidType>(f),
                HasSubstr("Expect: size(in_types) > 0"));
  }
  EXPECT_THAT(error_of<InvalidType>([&] {
                stack({x, x}, {.axis = 3});
              }),
              HasSubstr("stack (Forward)\n\nExpect: in_types[0].ndim >= 3\n"
                        "Actual: 2 < 3"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                stack({x, x}, {.axis = -4});
              }),
              HasSubstr("Expect: in_types[0].ndim >= 3"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                stack({x, other});
              }),
              HasSubstr("Expect: in_types[0].shape[1] == in_types[1].shape[1]\n"
                        "Actual: 3 != 4"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                vstack({x, other});
              }),
              HasSubstr("vstack (Forward)"));
}

TEST(JoinErrorTest, NamesPartsThatAreNotThere) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] { split_axis(x, 2, 1); }),
              HasSubstr("split_axis (Forward)\n\nExpect: x.shape[1] % "
                        "sections == 0\nActual: 1 != 0"));
  EXPECT_THAT(error_of<InvalidType>([&] { split_axis(x, 2, 2); }),
              HasSubstr("Expect: x.ndim > 2"));
  EXPECT_THAT(error_of<ValueError>([&] { split_axis(x, 0, 1); }),
              HasSubstr("split_axis: expected at least 1 section, got 0"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                split_axis(x, {1, 4}, 1);
              }),
              HasSubstr("Expect: x.shape[1] >= index\nActual: 3 < 4"));
  EXPECT_THAT(error_of<ValueError>([&] {
                split_axis(x, {2, 1}, 1);
              }),
              HasSubstr("got 1 after 2"));
  EXPECT_THAT(error_of<InvalidType>([&] { separate(x, {.axis = -3}); }),
              HasSubstr("separate (Forward)\n\nExpect: x.ndim >= 3"));
}

}  // namespace
}  // namespace catena::functions
