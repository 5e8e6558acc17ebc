#include "catena/functions/loss/linear_cross_entropy.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class LinearCrossEntropyTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(LinearCrossEntropy, LinearCrossEntropyTest,
                         testing::every_device(), testing::device_name);

Array words(const Shape& shape, int64_t vocabulary) {
  array::random::Generator generator(5, current_device());
  return generator.randint(-1, vocabulary, shape, Dtype::kInt32);
}

Variable of_all_scores(const Variable& x, const Variable& W, const Array& t,
                       const LinearCrossEntropyOptions& options) {
  Variable scores = matmul(x, W, {.transb = true});
  if (options.b.defined()) scores = scores + options.b;
  if (options.soft_cap > 0) {
    scores = tanh(scores / options.soft_cap) * options.soft_cap;
  }
  return softmax_cross_entropy(scores, t,
                               {.ignore_label = options.ignore_label,
                                .reduce = options.reduce,
                                .label_smoothing = options.label_smoothing});
}

TEST_P(LinearCrossEntropyTest, GradientsMatchFiniteDifferences) {
  const Array t = words({4}, 5);
  const LinearCrossEntropyOptions cases[] = {
      {},
      {.ignore_label = 2},
      {.reduce = "no"},
      {.label_smoothing = 0.2},
      {.soft_cap = 0.7},
      {.reduce = "no", .label_smoothing = 0.1, .soft_cap = 1.5}};
  for (const LinearCrossEntropyOptions& options : cases) {
    Array labels = t.copy();
    if (options.ignore_label == 2) labels = array::array({2, 0, 4, 2});
    testing::check_function_gradients(
        [&](const Variable& x, const Variable& W, const Variable& b) {
          LinearCrossEntropyOptions with_b = options;
          with_b.b = b;
          return linear_cross_entropy(x, W, labels, with_b);
        },
        {testing::uniform({4, 3}), testing::uniform({5, 3}),
         testing::uniform({5})});
    testing::check_function_gradients(
        [&](const Variable& x, const Variable& W) {
          return linear_cross_entropy(x, W, labels, options);
        },
        {testing::uniform({4, 3}), testing::uniform({5, 3})});
  }
  testing::check_function_gradients(
      [&](const Variable& x) {
        return linear_cross_entropy(x, x, words({5}, 5));
      },
      {testing::uniform({5, 4})});
}

// So many words that float32 and float64 have several parts, the last of them
// shorter.
TEST_P(LinearCrossEntropyTest, PartsGiveWhatAllScoresGive) {
  constexpr int64_t kRows = 130;
  constexpr int64_t kWords = 70000;
  for (const Dtype dtype : testing::float_dtypes()) {
    // On an emulated GPU the others would take a minute.
    if (!device().is_native() && dtype != Dtype::kFloat32) continue;
    const Array x = testing::uniform({kRows, 3}).astype(dtype);
    const Array W = testing::uniform({kWords, 3}).astype(dtype);
    const Array b = testing::uniform({kWords}).astype(dtype);
    const Array t = words({kRows}, kWords);
    const auto results = [&](auto function, LinearCrossEntropyOptions options) {
      const Variable rows(x.copy());
      const Variable weights(W.copy());
      options.b = Variable(b.copy());
      const Variable y = function(rows, weights, t, options);
      y.set_grad(array::full(y.shape(), 8, dtype));
      y.backward();
      return std::vector<Array>{y.data(), rows.grad(), weights.grad(),
                                options.b.grad()};
    };
    for (const LinearCrossEntropyOptions& options :
         {LinearCrossEntropyOptions{},
          LinearCrossEntropyOptions{
              .reduce = "no", .label_smoothing = 0.25, .soft_cap = 2}}) {
      const auto parts = results(
          [](const Variable& x, const Variable& W, const Array& t,
             const LinearCrossEntropyOptions& given) {
            return linear_cross_entropy(x, W, t, given);
          },
          options);
      const auto all = results(of_all_scores, options);
      for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(parts[i].dtype(), dtype);
        EXPECT_THAT(parts[i], testing::IsClose(all[i])) << "result " << i;
      }
    }
  }
}

TEST_P(LinearCrossEntropyTest, RowsMayHaveSeveralAxes) {
  const Array x = testing::uniform({2, 3, 4});
  const Array W = testing::uniform({5, 4});
  const Array t = words({2, 3}, 5);
  const Array rows = linear_cross_entropy(Variable(x.reshape({6, 4})), W,
                                          t.reshape({6}), {.reduce = "no"})
                         .data();
  EXPECT_THAT(linear_cross_entropy(Variable(x), W, t, {.reduce = "no"}).data(),
              testing::IsArray(rows.reshape({2, 3})));
}

TEST_P(LinearCrossEntropyTest, NoRowsGiveZeros) {
  const Variable x(array::zeros({0, 4}));
  const Variable W(testing::uniform({5, 4}));
  const Variable y =
      linear_cross_entropy(x, W, array::zeros({0}, Dtype::kInt32));
  EXPECT_THAT(y.data(), testing::IsArray(array::array(0.0)));
  y.backward();
  EXPECT_THAT(W.grad(), testing::IsArray(array::zeros({5, 4})));
  EXPECT_EQ(x.grad().shape(), Shape({0, 4}));
}

// As of tied weights, which an embedding uses, too.
TEST_P(LinearCrossEntropyTest, AddsToTheGradientThatAWeightAlreadyHas) {
  const Array x = testing::uniform({3, 4});
  const Array t = array::array({2, 0, 1});
  const auto gradient = [&](auto function) {
    const Variable W(testing::uniform({5, 4}));
    const Variable y = function(Variable(x), W, t);
    (y + function(Variable(x * 2), W, t)).backward();
    return W.grad();
  };
  EXPECT_THAT(
      gradient([](const Variable& x, const Variable& W, const Array& t) {
        return linear_cross_entropy(x, W, t);
      }),
      testing::IsClose(
          gradient([](const Variable& x, const Variable& W, const Array& t) {
            return of_all_scores(x, W, t, {});
          })));
}

TEST_P(LinearCrossEntropyTest, OnlyWhatIsAskedForIsComputed) {
  const Array t = array::array({2, 0, 1});
  const Array x = testing::uniform({3, 4});
  const Array W = testing::uniform({5, 4});
  const Variable rows(x);
  linear_cross_entropy(rows, as_variable(W), t).backward();
  EXPECT_TRUE(rows.grad().defined());
  const Variable weights(W);
  linear_cross_entropy(as_variable(x), weights, t).backward();
  EXPECT_TRUE(weights.grad().defined());
}

TEST_P(LinearCrossEntropyTest, NamesTheLabelThatIsOutOfRange) {
  const Variable x(array::zeros({2, 3}));
  const Variable W(array::zeros({5, 3}));
  EXPECT_THAT(
      error_of<ValueError>([&] {
        linear_cross_entropy(x, W, array::array({1, 5})).data().item<double>();
      }),
      HasSubstr("linear_cross_entropy: expected labels from 0 to 4 or "
                "-1, which is ignored, got 5 for 5 classes"));
}

TEST(LinearCrossEntropyMemoryTest, HasAPartOfTheScoresAtATime) {
  constexpr int64_t kRows = 4096;
  constexpr int64_t kWords = 8192;
  const Variable x(testing::uniform({kRows, 8}).astype(Dtype::kFloat32));
  const Variable W(testing::uniform({kWords, 8}).astype(Dtype::kFloat32));
  const Array t = words({kRows}, kWords);
  struct Limit {
    explicit Limit(int64_t bytes) { cpu::set_memory_pool_limit(bytes); }
    ~Limit() { cpu::set_memory_pool_limit(0); }
  };
  cpu::free_all_blocks();
  // Scores of 128 MiB, of which 32 are in memory at once.
  const Limit limit(cpu::memory_pool_statistics().total_bytes() + (60 << 20));
  linear_cross_entropy(x, W, t).backward();
  EXPECT_TRUE(W.grad().defined());
  EXPECT_THROW(of_all_scores(x, W, t, {}), OutOfMemoryError);
}

TEST(LinearCrossEntropyThreadsTest, GivesTheSameBitsForAnyNumberOfThreads) {
  const Array x = testing::uniform({200, 16}).astype(Dtype::kFloat32);
  const Array W = testing::uniform({90000, 16}).astype(Dtype::kFloat32);
  const Array t = words({200}, 90000);
  const auto results = [&](int threads) {
    set_num_threads(threads);
    const Variable rows(x);
    const Variable weights(W);
    const Variable y = linear_cross_entropy(rows, weights, t);
    y.backward();
    return std::vector<Array>{y.data(), rows.grad(), weights.grad()};
  };
  const int before = get_num_threads();
  const auto one = results(1);
  const auto two = results(2);
  set_num_threads(before);
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_THAT(two[i], testing::IsArray(one[i])) << "result " << i;
  }
}

TEST(LinearCrossEntropyErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({3, 4}));
  const Variable W(array::zeros({5, 4}));
  const Array t = array::zeros({3}, Dtype::kInt32);
  const auto invalid = [](const Variable& x, const Variable& W, const Array& t,
                          const LinearCrossEntropyOptions& options = {}) {
    return error_of<InvalidType>(
        [&] { linear_cross_entropy(x, W, t, options); });
  };
  EXPECT_THAT(invalid(x, W, array::zeros({2}, Dtype::kInt32)),
              HasSubstr("linear_cross_entropy: expected x (B..., U) and labels "
                        "t (B...), got x (3, 4) and t (2,)"));
  EXPECT_THAT(invalid(x, W, array::zeros({}, Dtype::kInt32)),
              HasSubstr("t ()"));
  EXPECT_THAT(invalid(x, W, array::zeros({3})),
              HasSubstr("Expect: t.dtype is an integer\nActual: float64"));
  EXPECT_THAT(invalid(x, Variable(array::zeros({5, 3})), t),
              HasSubstr("Expect: x.shape[1] == W.shape[1]\nActual: 4 != 3"));
  EXPECT_THAT(invalid(x, Variable(array::zeros({5, 4}, Dtype::kFloat32)), t),
              HasSubstr("W.dtype == x.dtype"));
  EXPECT_THAT(invalid(x, W, t, {.b = Variable(array::zeros({4}))}),
              HasSubstr("Expect: b.shape[0] == W.shape[0]\nActual: 4 != 5"));
  const auto refused = [&](const LinearCrossEntropyOptions& options) {
    return error_of<ValueError>(
        [&] { linear_cross_entropy(x, W, t, options); });
  };
  EXPECT_THAT(refused({.reduce = "sum"}), HasSubstr("got \"sum\""));
  EXPECT_THAT(refused({.label_smoothing = 2}),
              HasSubstr("expected label_smoothing from 0 to 1, got 2"));
  EXPECT_THAT(refused({.soft_cap = -1}),
              HasSubstr("expected a finite soft_cap of at least 0, got -1"));
  EXPECT_THAT(refused({.soft_cap = NAN}), HasSubstr("got nan"));
  const auto scope = using_config(&Config::type_check, false);
  EXPECT_THAT(error_of<ShapeError>([&] {
                linear_cross_entropy(x, Variable(array::zeros({5})), t);
              }),
              HasSubstr("got x (3, 4), W (5,) and t (3,)"));
}

}  // namespace
}  // namespace catena::functions
