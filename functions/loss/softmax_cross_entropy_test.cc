#include "catena/functions/loss/softmax_cross_entropy.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class SoftmaxCrossEntropyTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(SoftmaxCrossEntropy, SoftmaxCrossEntropyTest,
                         testing::every_device(), testing::device_name);

Array labels(const Shape& shape, int64_t classes, Dtype dtype = Dtype::kInt32) {
  array::random::Generator generator(3, current_device());
  return generator.randint(-1, classes, shape, dtype);
}

TEST_P(SoftmaxCrossEntropyTest, GradientsMatchFiniteDifferences) {
  const auto check = [](const Shape& shape, const Array& t,
                        const SoftmaxCrossEntropyOptions& options) {
    testing::check_function_gradients(
        [&](const Variable& x) { return softmax_cross_entropy(x, t, options); },
        {testing::uniform(shape, -2, 2)});
  };
  const Array t = labels({6}, 5);
  const Array weights = testing::uniform({5}, 0.5, 2);
  check({6, 5}, t, {});
  check({6, 5}, t.astype(Dtype::kInt64), {.normalize = false});
  check({6, 5}, t.astype(Dtype::kInt8), {.reduce = "no"});
  check({6, 5}, array::maximum(t, 0),
        {.class_weight = weights, .ignore_label = 2});
  check({6, 5}, t, {.class_weight = weights, .reduce = "no"});
  const Array t3 = labels({2, 3, 2}, 4);
  check({2, 4, 3, 2}, t3, {});
  check({2, 4, 3, 2}, t3, {.reduce = "no"});
  check({0, 4}, labels({0}, 4), {});
  check({6, 5}, t, {.label_smoothing = 0.1});
  check({6, 5}, t, {.normalize = false, .label_smoothing = 1});
  check({6, 5}, t,
        {.class_weight = weights, .reduce = "no", .label_smoothing = 0.3});
  check({2, 4, 3, 2}, t3, {.reduce = "no", .label_smoothing = 0.3});
  check({0, 4}, labels({0}, 4), {.label_smoothing = 0.3});
  const Array distributions = testing::uniform({6, 5}, 0, 1);
  check({6, 5}, distributions, {.label_smoothing = 0.2});
}

// Long and short rows, and those of pixels, whose scores are strided.
TEST_P(SoftmaxCrossEntropyTest, SmoothedLabelsAreDistributions) {
  constexpr double kSmoothing = 0.2;
  for (const int64_t classes : {5, 257, 5000}) {
    for (const Dtype dtype : testing::float_dtypes()) {
      const Array scores = testing::uniform({9, classes}, -3, 3).astype(dtype);
      const Array t = labels({9}, classes);
      t[4].fill(-1);
      const Array counts = array::not_equal(t, -1).astype(dtype);
      const Array one_hot =
          array::equal(array::arange(classes), t.expand_dims(1)).astype(dtype);
      const Variable x(scores.copy());
      const Variable y = softmax_cross_entropy(
          x, t, {.reduce = "no", .label_smoothing = kSmoothing});
      const Variable same(scores.copy());
      const Variable expected =
          softmax_cross_entropy(
              same, one_hot, {.reduce = "no", .label_smoothing = kSmoothing}) *
          as_variable(counts);
      EXPECT_THAT(y.data(), testing::IsClose(expected.data()));
      const Array gy = testing::uniform({9}, -1, 1).astype(dtype);
      y.set_grad(gy);
      y.backward();
      expected.set_grad(gy);
      expected.backward();
      EXPECT_THAT(x.grad(), testing::IsClose(same.grad()));
      EXPECT_THAT(x.grad()[4],
                  testing::IsArray(array::zeros({classes}, dtype)));

      const Variable lying = softmax_cross_entropy(
          Variable(scores.transpose().copy().reshape({1, classes, 9})),
          t.reshape({1, 9}), {.reduce = "no", .label_smoothing = kSmoothing});
      EXPECT_THAT(lying.data().reshape({9}), testing::IsClose(y.data()));
    }
  }
}

TEST_P(SoftmaxCrossEntropyTest, NoSmoothingIsTheSmoothedLimit) {
  const Array t = labels({6}, 5);
  const Array scores = testing::uniform({6, 5}, -2, 2);
  const SoftmaxCrossEntropyOptions options = {
      .class_weight = testing::uniform({5}, 0.5, 2)};
  SoftmaxCrossEntropyOptions smoothed = options;
  smoothed.label_smoothing = 1e-300;
  const Variable x(scores.copy());
  const Variable y = softmax_cross_entropy(x, t, options);
  const Variable smoothed_x(scores.copy());
  const Variable smoothed_y = softmax_cross_entropy(smoothed_x, t, smoothed);
  y.backward();
  smoothed_y.backward();
  EXPECT_THAT(smoothed_y.data(), testing::IsClose(y.data()));
  EXPECT_THAT(smoothed_x.grad(), testing::IsClose(x.grad()));
}

// Labels of pixels, whose scores are strided.
TEST_P(SoftmaxCrossEntropyTest, OfPixelsIsThatOfRows) {
  constexpr int64_t kClasses = 21;
  for (const Dtype dtype : testing::float_dtypes()) {
    const Array scores =
        testing::uniform({2, kClasses, 5, 7}, -3, 3).astype(dtype);
    const Array t = labels({2, 5, 7}, kClasses);
    t[{1, 2, 3}] = array::full({}, -1);
    scores[{1, Slice(), 2, 3}] = array::full({kClasses}, std::nan(""));
    const SoftmaxCrossEntropyOptions options = {
        .class_weight = testing::uniform({kClasses}, 0.5, 2).astype(dtype),
        .reduce = "no"};
    const Variable pixels(scores);
    const Variable rows(scores.transpose(0, 2, 3, 1).copy());
    const Variable of_pixels = softmax_cross_entropy(pixels, t, options);
    const Variable of_rows = softmax_cross_entropy(
        reshape(rows, {70, kClasses}), t.reshape({70}), options);
    EXPECT_THAT(of_pixels.data().reshape({70}),
                testing::IsClose(of_rows.data()));
    const Array gy = testing::uniform({2, 5, 7}, -1, 1).astype(dtype);
    of_pixels.set_grad(gy);
    of_pixels.backward();
    of_rows.set_grad(gy.reshape({70}));
    of_rows.backward();
    EXPECT_THAT(pixels.grad().transpose(0, 2, 3, 1),
                testing::IsClose(rows.grad()));
    const Array left_out = pixels.grad()[{1, Slice(), 2, 3}];
    EXPECT_THAT(left_out, testing::IsArray(array::zeros({kClasses}, dtype)));
  }
}

// The option is there for programs written for Chainer, where it is needed.
TEST_P(SoftmaxCrossEntropyTest, DifferentiatesTwiceWithOrWithoutTheOption) {
  const Array t = labels({3}, 4);
  for (const bool enabled : {false, true}) {
    testing::check_function_gradients(
        [&](const Variable& x) {
          return softmax_cross_entropy(x, t,
                                       {.enable_double_backprop = enabled});
        },
        {testing::uniform({3, 4})});
  }
}

TEST_P(SoftmaxCrossEntropyTest, ChecksMemoryWithoutTheTypeCheck) {
  const auto scope = using_config(&Config::type_check, false);
  const Variable x(array::zeros({3, 4}));
  EXPECT_THAT(
      error_of<ShapeError>(
          [&] { softmax_cross_entropy(x, array::zeros({2}, Dtype::kInt32)); }),
      HasSubstr("expected a label for each row, got x (3, 4) and t (2,)"));
  EXPECT_THROW(softmax_cross_entropy(x, array::zeros({3}, Dtype::kInt32),
                                     {.class_weight = array::ones({3})}),
               ValueError);
}

TEST_P(SoftmaxCrossEntropyTest, KeepsTheLabelsItChecked) {
  const Variable x(array::zeros({1, 2}));
  const Array t = array::zeros({1}, Dtype::kInt32);
  const Variable loss = softmax_cross_entropy(x, t);
  t.fill(1000000);
  loss.backward();
  EXPECT_THAT(x.grad(), testing::IsClose(array::array({{-0.5, 0.5}})));
}

// Many rows and classes: threads, long rows and strided rows.
TEST_P(SoftmaxCrossEntropyTest, AgreesWithLogSoftmax) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Array scores = testing::uniform({300, 257}, -3, 3);
    const Array t = labels({300}, 257);
    const Variable x(scores.astype(dtype));
    const Array log_p =
        log_softmax(Variable(x.data().astype(Dtype::kFloat64))).data();
    const Array one_hot = array::equal(array::arange(257), t.expand_dims(1))
                              .astype(Dtype::kFloat64);
    const Array losses = -array::sum(log_p * one_hot, {.axis = 1});

    const Variable y = softmax_cross_entropy(x, t, {.reduce = "no"});
    EXPECT_THAT(y.data(), testing::IsClose(losses.astype(dtype)));
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    const Array counts = array::not_equal(t, -1).astype(Dtype::kFloat64);
    const Array gx = (array::exp(log_p) - one_hot) * counts.expand_dims(1);
    EXPECT_THAT(x.grad(), testing::IsClose(gx.astype(dtype)));

    const Variable lying = softmax_cross_entropy(
        reshape(transpose(Variable(scores.astype(dtype))), {1, 257, 300}),
        t.reshape({1, 300}), {.reduce = "no"});
    EXPECT_THAT(lying.data().reshape({300}), testing::IsClose(y.data()));
  }
}

// On a GPU the error comes when the host waits, and nothing else happens.
TEST_P(SoftmaxCrossEntropyTest, NamesTheLabelThatIsOutOfRange) {
  const Variable x(array::zeros({3, 10}));
  const auto loss_of = [&](std::vector<int64_t> t, Dtype dtype) {
    return softmax_cross_entropy(x, array::array(t).astype(dtype));
  };
  const auto expect_error = [&](std::vector<int64_t> t, Dtype dtype,
                                const std::string& text) {
    EXPECT_THAT(
        error_of<ValueError>([&] { loss_of(t, dtype).data().item<double>(); }),
        HasSubstr(text));
    EXPECT_THAT(loss_of({9, 0, -1}, dtype).data(),
                testing::IsClose(array::array(std::log(10.0))));
  };
  for (const Dtype dtype : {Dtype::kInt8, Dtype::kInt32, Dtype::kInt64}) {
    expect_error({0, 10, 1}, dtype,
                 "softmax_cross_entropy: expected labels from 0 to 9 or -1, "
                 "which is ignored, got 10 for 10 classes");
    expect_error({0, 1, -2}, dtype, "got -2");
  }
  expect_error({0, 1, int64_t{1} << 40}, Dtype::kInt64, "got 1099511627776");
}

TEST_P(SoftmaxCrossEntropyTest, GoesOnAfterALabelThatIsOutOfRange) {
  const Variable x(testing::uniform({3, 10}));
  const auto backward = [&](std::vector<int64_t> t) {
    x.cleargrad();
    softmax_cross_entropy(x, array::array(t)).backward();
    synchronize(GetParam());
  };
  backward({1, 2, 3});
  const Array expected = x.grad().copy();
  EXPECT_THROW(backward({1, 1000000, 3}), ValueError);
  backward({1, 2, 3});
  EXPECT_THAT(x.grad(), testing::IsArray(expected));
}

// Several thread blocks count.
TEST_P(SoftmaxCrossEntropyTest, CountsManyLabels) {
  const Variable x(array::zeros({40000, 2}));
  const Array t = array::remainder(array::arange(40000), 3) - 1;
  const Variable loss = softmax_cross_entropy(x, t);
  loss.backward();
  EXPECT_THAT(loss.data(), testing::IsClose(array::array(std::log(2.0))));
  EXPECT_THAT(array::sum(array::absolute(x.grad())),
              testing::IsClose(array::array(1.0)));
  t[39999].fill(2);
  EXPECT_THROW(softmax_cross_entropy(x, t).data().item<double>(), ValueError);
}

TEST(SoftmaxCrossEntropyErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({3, 4}));
  const Array t = array::zeros({3}, Dtype::kInt32);
  const auto invalid = [&](const Variable& x, const Array& t,
                           std::string_view text) {
    EXPECT_THAT(error_of<InvalidType>([&] { softmax_cross_entropy(x, t); }),
                HasSubstr(std::string(text)));
  };
  invalid(x, array::zeros({2}, Dtype::kInt32),
          "Expect: x.shape[0] == t.shape[0]\nActual: 3 != 2");
  invalid(x, array::zeros({3, 4}, Dtype::kInt32), "Expect: t.ndim == 1");
  invalid(x, array::zeros({3}, Dtype::kBool),
          "Expect: t.dtype is an integer\nActual: bool");
  invalid(Variable(t), t, "Expect: x.dtype is floating\nActual: int32");
  invalid(x, array::zeros({3}),
          "expected distributions t of x's dtype and shape (N, C, ...), got x "
          "float64 (3, 4) and t float64 (3,); labels are integers: "
          "t.astype(Dtype::kInt32)");
  invalid(x, array::zeros({3, 5}), "and t float64 (3, 5)");
  invalid(Variable(array::zeros({3, 4, 5})),
          array::zeros({3, 6}, Dtype::kInt32),
          "Expect: x.shape[2] == t.shape[1]");

  const auto refused = [&](const SoftmaxCrossEntropyOptions& options,
                           std::string_view text) {
    EXPECT_THAT(
        error_of<ValueError>([&] { softmax_cross_entropy(x, t, options); }),
        HasSubstr(std::string(text)));
  };
  refused({.reduce = "sum"}, "expected reduce \"mean\" or \"no\", got \"sum\"");
  refused({.class_weight = array::ones({3})},
          "expected class_weight floating, of shape (4,) and on native:0, got "
          "float64 (3,) on native:0");
  refused({.class_weight = t}, "int32 (3,)");
  refused({.label_smoothing = 1.5},
          "expected label_smoothing from 0 to 1, got 1.5");
  refused({.label_smoothing = -0.1}, "got -0.1");
  refused({.label_smoothing = NAN}, "got nan");
  EXPECT_THAT(error_of<ValueError>([&] {
                softmax_cross_entropy(x, array::zeros({3, 4}),
                                      {.soft_target_loss = "l2"});
              }),
              HasSubstr("\"l2\""));
}

}  // namespace
}  // namespace catena::functions
