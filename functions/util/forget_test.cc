#include "catena/functions/util/forget.h"

#include <gmock/gmock.h>

#include <vector>

#include "catena/array/core/captured_work.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/parameter.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

Variable multiply_and_add(const Variable& x, const Variable& y) {
  return x * y + x;
}

class ForgetTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Forget, ForgetTest, testing::every_device(),
                         testing::device_name);

TEST_P(ForgetTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      [](const Variable& x, const Variable& y) {
        return forget(multiply_and_add, x, y);
      },
      {testing::uniform({2, 3}), testing::uniform({2, 3})},
      {.second_order = false});
}

TEST_P(ForgetTest, ParametersInsideGetTheirGradients) {
  const Array x = testing::uniform({2, 3});
  const Parameter W(testing::uniform({3, 2}));
  const auto gradients = [&](bool forgets) {
    W.cleargrad();
    const Variable in(x);
    const auto f = [&](const Variable& v) { return matmul(v, W); };
    const Variable y = (forgets ? forget(f, in * 2) : f(in * 2)) * 3;
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    return std::vector<Array>{in.grad(), W.grad()};
  };
  const std::vector<Array> expected = gradients(false);
  const std::vector<Array> actual = gradients(true);
  EXPECT_THAT(actual[0], testing::IsArray(expected[0]));
  EXPECT_THAT(actual[1], testing::IsArray(expected[1]));
}

TEST_P(ForgetTest, CallsTheFunctionOnceForwardAndOnceBackward) {
  int calls = 0;
  const Variable x(testing::uniform({3}));
  const Variable y = forget(
      [&](const Variable& v) {
        ++calls;
        return v * v;
      },
      x);
  EXPECT_EQ(calls, 1);
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  EXPECT_EQ(calls, 2);
  // No graph but the one node.
  EXPECT_EQ(y.rank(), 1);
}

TEST_P(ForgetTest, PassesOnWhatIsReturnedAsItIsAndWhatNobodyUses) {
  const Variable x(testing::uniform({3}));
  const Variable y(testing::uniform({3}));
  const Variables results = forget(
      [](const Variable& a, const Variable& b) {
        return Variables{a, a * b};
      },
      x, y);
  results[0].set_grad(array::array({1.0, 2.0, 3.0}));
  results[0].backward();
  EXPECT_THAT(x.grad(), testing::IsArray(array::array({1.0, 2.0, 3.0})));
  EXPECT_FALSE(y.grad().defined());
}

// With others' draws between the two calls, and inside of a gradient pass.
TEST_P(ForgetTest, DropsTheSameAgainAndLeavesTheGeneratorAlone) {
  const Array x = testing::uniform({20, 30});
  const Parameter W(testing::uniform({30, 10}));
  array::random::Generator& generator = array::random::generator(device());
  const auto results = [&](bool forgets) {
    generator.seed(7);
    W.cleargrad();
    const Variable in(x);
    const auto f = [&](const Variable& v) {
      return dropout(matmul(dropout(v, 0.3), W), 0.5);
    };
    const Variable h = dropout(in, 0.2);
    const Variable y = dropout(forgets ? forget(f, h) : f(h), 0.4);
    const Array between = generator.uniform(0, 1, {5});
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    return std::vector<Array>{y.data(), in.grad(), W.grad(), between,
                              generator.uniform(0, 1, {5})};
  };
  const std::vector<Array> expected = results(false);
  const std::vector<Array> actual = results(true);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_THAT(actual[i], testing::IsArray(expected[i])) << "result " << i;
  }
}

TEST_P(ForgetTest, MayBeUsedInsideAnother) {
  const Array x = testing::uniform({20, 30});
  array::random::Generator& generator = array::random::generator(device());
  const auto gradient = [&](bool forgets) {
    generator.seed(9);
    const Variable in(x);
    const auto inner = [](const Variable& v) {
      return dropout(v * v, 0.3) + dropout(v, 0.6);
    };
    const auto outer = [&](const Variable& v) {
      const Variable h = dropout(v, 0.5);
      return dropout(forgets ? forget(inner, h) : inner(h), 0.2);
    };
    const Variable y = forgets ? forget(outer, in) : outer(in);
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    return in.grad();
  };
  const Array expected = gradient(false);
  EXPECT_THAT(gradient(true), testing::IsArray(expected));
}

TEST_P(ForgetTest, RepeatsInTheModeOfTheFirstCall) {
  const Variable x(testing::uniform({50}));
  const Variable y = forget([](const Variable& v) { return dropout(v); }, x);
  const auto scope = using_config(&Config::train, false);
  y.set_grad(x.data());
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(y.data()));
}

TEST_P(ForgetTest, SaysWhetherItDraws) {
  const auto repeats = [](const Variable& y) {
    return y.creator_node()->repeats();
  };
  const Variable x(testing::uniform({5}));
  EXPECT_TRUE(repeats(forget(multiply_and_add, x, x)));
  EXPECT_FALSE(
      repeats(forget([](const Variable& v) { return dropout(v); }, x)));
}

TEST_P(ForgetTest, CapturedWorkRepeatsTheDrawsOfEachLaunch) {
  if (!can_capture(device())) GTEST_SKIP() << "not for " << device();
  const Array x = testing::uniform({50}, 1, 2);
  Array y;
  Array gx;
  const auto work = capture_work(device(), [&] {
    const Variable in(x);
    const Variable out =
        forget([](const Variable& v) { return dropout(v); }, in);
    out.set_grad(x);
    out.backward();
    y = out.data();
    gx = in.grad();
  });
  array::random::Generator& generator = array::random::generator(device());
  for (const uint64_t seed : {1, 2}) {
    generator.seed(seed);
    work->launch();
    EXPECT_THAT(gx, testing::IsArray(y));
    const Array after = generator.uniform(0, 1, {5});
    generator.seed(seed);
    EXPECT_THAT(dropout(Variable(x)).data(), testing::IsArray(y));
    EXPECT_THAT(generator.uniform(0, 1, {5}), testing::IsArray(after));
  }
}

TEST(ForgetErrorTest, NamesDrawsThatAreNotTheSame) {
  const Variable x(array::ones({20}));
  const auto error = [&](int first, int second) {
    int draws = first;
    const Variable y = forget(
        [&](const Variable& v) {
          Variable h = v;
          for (int i = 0; i < draws; ++i) h = dropout(h);
          return h * 2;
        },
        x);
    draws = second;
    return error_of<ValueError>(
        [&] { catena::backward({y}, {Variable(array::ones({20}))}); });
  };
  EXPECT_THAT(error(2, 1),
              HasSubstr("forget: expected the function to draw as many random "
                        "numbers as in its first call, got fewer"));
  EXPECT_THAT(error(1, 2), HasSubstr("which was 1 times, got one more draw"));
  int64_t size = 20;
  const Variable y = forget(
      [&](const Variable& v) {
        return v * array::random::uniform(0, 1, {size}).reshape(-1)[0];
      },
      x);
  size = 2000;
  EXPECT_THAT(error_of<ValueError>([&] {
                catena::backward({y}, {Variable(array::ones({20}))});
              }),
              HasSubstr("to draw what it drew the first time, got draw 0"));
}

TEST(ForgetErrorTest, NamesWhatIsWrong) {
  const Variable x(array::ones({2}));
  EXPECT_THAT(error_of<ValueError>([&] {
                forget([](const Variable&) { return Variable(); }, x);
              }),
              HasSubstr("forget: expected defined variables"));
  const Variable y = forget(multiply_and_add, x, x);
  EXPECT_THAT(error_of<GradientError>([&] {
                grad({y}, {x},
                     {.grad_outputs = {Variable(array::ones({2}))},
                      .enable_double_backprop = true});
              }),
              HasSubstr("forget: expected a gradient that "
                        "is not differentiated again"));
  int parts = 3;
  const Variables few =
      forget([&](const Variable& v) { return Variables(parts--, v * 2); }, x);
  EXPECT_THAT(error_of<ValueError>([&] {
                catena::backward({few[0]}, {Variable(array::ones({2}))});
              }),
              HasSubstr("expected 3 variables from the function as in its "
                        "first call, got 2"));
}

}  // namespace
}  // namespace catena::functions
