#include "catena/functions/loss/connectionist_temporal_classification.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/array/separate.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class CtcTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Ctc, CtcTest, testing::every_device(),
                         testing::device_name);

// The loss of x (T, B, V).
Variable ctc(const Variable& x, const Array& t,
             const CtcOptions& options = {}) {
  return connectionist_temporal_classification(separate(x), t, 0, options);
}

TEST_P(CtcTest, GradientsMatchFiniteDifferences) {
  const auto check = [&](const Shape& shape, const Array& t,
                         const CtcOptions& options) {
    testing::check_function_gradients(
        [&](const Variable& x) { return ctc(x, t, options); },
        {testing::uniform(shape, -2, 2)});
  };
  const Array t = array::array({{1, 2, 2}, {3, 1, 3}});
  check({8, 2, 4}, t, {});
  check({8, 2, 4}, t.astype(Dtype::kInt8), {.reduce = "no"});
  check({8, 2, 4}, t,
        {.input_length = array::array({5, 8}),
         .label_length = array::array({3, 0}),
         .reduce = "no"});
  check({3, 2, 4}, array::zeros({2, 0}, Dtype::kInt32), {});
  check({1, 2, 4}, t[{Slice(), Slice(0, 1)}], {});
  check({3, 0, 4}, array::zeros({0, 2}, Dtype::kInt32), {.reduce = "no"});
}

// The sum over all paths of the labels, for every dtype.
TEST_P(CtcTest, CountsEveryPathOnce) {
  // With 3 steps over 2 symbols of equal scores, 6 of 8 paths spell "1".
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(array::zeros({3, 1, 2}, dtype));
    const Variable loss = ctc(x, array::array({{1}}));
    EXPECT_THAT(
        loss.data(),
        testing::IsClose(array::array(-std::log(6.0 / 8.0)).astype(dtype)));
    loss.backward();
    EXPECT_EQ(x.grad().dtype(), dtype);
  }
}

// Long sequences, on which probabilities would underflow, and paths longer than
// registers; in float32 against float64.
TEST_P(CtcTest, OfLongSequencesDoesNotUnderflow) {
  array::random::Generator generator(3, current_device());
  const Array t = generator.randint(1, 20, {3, 40}, Dtype::kInt32);
  const Array scores = testing::uniform({300, 3, 20}, -30, 30);
  const CtcOptions options{.input_length = array::array({300, 200, 250}),
                           .label_length = array::array({40, 33, 5}),
                           .reduce = "no"};
  const auto run = [&](Dtype dtype) {
    const Variable x(scores.astype(dtype));
    const Variable loss = ctc(x, t, options);
    loss.set_grad(array::ones({3}, dtype));
    loss.backward();
    return std::pair(loss.data(), x.grad());
  };
  const auto [loss, gx] = run(Dtype::kFloat64);
  const auto [narrow_loss, narrow_gx] = run(Dtype::kFloat32);
  EXPECT_THAT(narrow_loss.astype(Dtype::kFloat64),
              testing::IsClose(loss, {.rtol = 1e-5}));
  EXPECT_THAT(narrow_gx.astype(Dtype::kFloat64),
              testing::IsClose(gx, {.rtol = 1e-2, .atol = 5e-3}));
}

TEST_P(CtcTest, OfLabelsThatDoNotFitIsInfiniteWithoutGradient) {
  const Variable x(testing::uniform({2, 2, 3}));
  const Variable loss =
      ctc(x, array::array({{1, 1}, {1, 2}}), {.reduce = "no"});
  const std::vector<double> losses = loss.data().to_vector<double>();
  EXPECT_EQ(losses[0], std::numeric_limits<double>::infinity());
  EXPECT_LT(losses[1], 10);
  loss.set_grad(array::ones({2}));
  loss.backward();
  const Array gx = x.grad();
  EXPECT_THAT((gx[{Slice(), 0}]), testing::IsArray(array::zeros({2, 3})));
}

// A recorded gradient is computed by other code than one that is not.
TEST_P(CtcTest, RecordedGradientsAreTheSame) {
  const Array t = array::array({{1, 2, 2}, {3, 1, 3}, {1, 1, 1}, {2, 1, 0}});
  const Array numbers = testing::uniform({7, 4, 4}, -3, 3);
  // The third sequence has no path: 3 equal labels need 5 steps.
  const CtcOptions options{.input_length = array::array({7, 5, 4, 6}),
                           .label_length = array::array({3, 0, 3, 2}),
                           .reduce = "no"};
  // Impossible symbols, and steps past the end, which may hold anything.
  numbers[{1, 0, 3}].fill(-std::numeric_limits<double>::infinity());
  numbers[{6, 1}].fill(std::numeric_limits<double>::quiet_NaN());
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(numbers.astype(dtype));
    const Array gy = testing::uniform({4}, 0.5, 1, dtype);
    const auto gradient = [&](bool recorded) {
      return grad({ctc(x, t, options)}, {x},
                  {.grad_outputs = {as_variable(gy)},
                   .enable_double_backprop = recorded})[0];
    };
    const Array expected = gradient(false).data();
    const Variable gx = gradient(true);
    EXPECT_EQ(gx.dtype(), dtype);
    EXPECT_THAT(gx.data(), testing::IsClose(expected));
    EXPECT_THAT((expected[{Slice(), 2}]),
                testing::IsArray(array::zeros({7, 4}, dtype)));
    const Variable ggx(testing::uniform({7, 4, 4}, -1, 1, dtype, 5));
    const Array second = grad({gx}, {x}, {.grad_outputs = {ggx}})[0].data();
    EXPECT_TRUE(array::all(array::isfinite(second)).item<bool>());
    EXPECT_THAT((second[{Slice(), 2}]),
                testing::IsArray(array::zeros({7, 4}, dtype)));
    EXPECT_THAT((second[{Slice(5, {}), 1}]),
                testing::IsArray(array::zeros({2, 4}, dtype)));
  }
}

TEST(CtcErrorTest, NamesWhatItRejects) {
  const Variable x(array::zeros({4, 2, 3}));
  const Array t = array::array({{1, 2}, {2, 0}});
  const auto rejects = [](const auto& call, std::string_view text) {
    EXPECT_THAT(error_of<ValueError>(call), HasSubstr(std::string(text)));
  };
  const auto loss = [&](int64_t blank, const CtcOptions& options = {}) {
    connectionist_temporal_classification(separate(x), t, blank, options);
  };
  rejects([&] { loss(3); }, "expected blank_symbol from 0 to 2, got 3");
  rejects([&] { loss(-1); }, "got -1");
  rejects([&] { loss(0); },
          "connectionist_temporal_classification: expected labels t other than "
          "blank_symbol 0, got it in t[1][1]; the blank stands between labels, "
          "and label_length says where they end");
  loss(0, {.label_length = array::array({2, 1})});  // past the end
  rejects(
      [&] {
        ctc(x, array::array({{1, 2}, {3, 0}}));
      },
      "connectionist_temporal_classification: expected labels from 0 to 2, "
      "got 3");
  rejects(
      [&] {
        loss(0, {.input_length = array::array({4, 5})});
      },
      "expected input_length from 1 to 4, got 5");
  rejects(
      [&] {
        loss(0, {.label_length = array::array({-1, 2})});
      },
      "expected label_length from 0 to 2, got -1");
  rejects([&] { loss(0, {.label_length = array::array({2})}); },
          "expected label_length to be integers of shape (2,), got int64 (1,)");
  rejects([&] { loss(0, {.reduce = "sum"}); }, "got \"sum\"");
  // Past the length there may be anything.
  EXPECT_NO_THROW(ctc(x, array::array({{1, -1}, {2, 99}}),
                      {.label_length = array::array({1, 1})}));

  const auto invalid = [](const auto& call, std::string_view text) {
    EXPECT_THAT(error_of<InvalidType>(call), HasSubstr(std::string(text)));
  };
  invalid(
      [&] {
        ctc(x, array::zeros({3, 2}, Dtype::kInt32));
      },
      "expected integer labels t of shape (2, L), got int32 (3, 2)");
  invalid([&] { ctc(x, array::zeros({2, 2})); }, "got float64 (2, 2)");
  const std::vector<Variable> uneven = {Variable(array::zeros({2, 3})),
                                        Variable(array::zeros({2, 4}))};
  invalid([&] { connectionist_temporal_classification(uneven, t, 0); },
          "Expect: in_types[1].shape == in_types[0].shape");
  invalid(
      [&] {
        connectionist_temporal_classification(std::vector<Variable>(), t, 0);
      },
      "expected scores x of at least one step");
}

}  // namespace
}  // namespace catena::functions
