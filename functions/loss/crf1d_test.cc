#include "catena/functions/loss/crf1d.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/array/separate.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class Crf1dTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Crf1d, Crf1dTest, testing::every_device(),
                         testing::device_name);

TEST_P(Crf1dTest, GradientsMatchFiniteDifferences) {
  const Array cost = testing::uniform({3, 3});
  const auto sample = [](int64_t count, uint64_t seed) {
    return testing::uniform({count, 3}, -1, 1, Dtype::kFloat64, seed);
  };
  const std::vector<Array> ys = {array::array({0, 2, 1}), array::array({2, 1}),
                                 array::array({1, 1}), array::array({0})};
  for (const std::string_view reduce : {"mean", "no"}) {
    testing::check_function_gradients(
        [&](const Variable& cost, const Variable& a, const Variable& b,
            const Variable& c, const Variable& d) {
          const std::vector<Variable> xs = {a, b, c, d};
          return crf1d(cost, xs, ys, {.reduce = reduce});
        },
        {cost, sample(3, 2), sample(2, 3), sample(2, 4), sample(1, 5)});
  }
}

// Every sequence of 2 labels at 3 places.
TEST_P(Crf1dTest, ArgmaxFindsTheBestOfAllSequences) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const Array cost = testing::uniform({2, 2}, -2, 2, Dtype::kFloat64, seed);
    const Array x =
        testing::uniform({3, 1, 2}, -2, 2, Dtype::kFloat64, 100 + seed);
    const std::vector<double> c = cost.to_vector<double>();
    const std::vector<double> v = x.to_vector<double>();
    double best = -INFINITY;
    for (int i = 0; i < 8; ++i) {
      const int a = i / 4;
      const int b = i / 2 % 2;
      const int d = i % 2;
      best = std::max(best,
                      v[a] + v[2 + b] + v[4 + d] + c[2 * a + b] + c[2 * b + d]);
    }
    const Variables xs = separate(Variable(x));
    const auto [score, labels] = argmax_crf1d(Variable(cost), xs);
    EXPECT_THAT(score.data(), testing::IsClose(array::array({best})));
    // Their own cost is the score.
    const int a = labels[0].item<int>();
    const int b = labels[1].item<int>();
    const int d = labels[2].item<int>();
    EXPECT_NEAR(v[a] + v[2 + b] + v[4 + d] + c[2 * a + b] + c[2 * b + d], best,
                1e-12);
  }
}

TEST(Crf1dErrorTest, NamesWhatItRejects) {
  const Variable cost(array::zeros({3, 3}));
  const auto zeros = [](int64_t count, int64_t labels = 3) {
    return Variable(array::zeros({count, labels}));
  };
  const Array y1 = array::zeros({1}, Dtype::kInt32);
  const Array y2 = array::zeros({2}, Dtype::kInt32);
  const auto loss =
      [&](const std::vector<Variable>& xs, const std::vector<Array>& ys,
          const Crf1dOptions& options = {}) { crf1d(cost, xs, ys, options); };
  const auto invalid = [](const auto& call, std::string_view text) {
    EXPECT_THAT(error_of<InvalidType>(call), HasSubstr(std::string(text)));
  };
  invalid(
      [&] {
        loss({zeros(1), zeros(2)}, {y1, y2});
      },
      "Expect: x.shape[0] <= previous x.shape[0]\nActual: 2 > 1");
  invalid([&] { loss({zeros(1, 4)}, {y1}); },
          "Expect: x.shape[1] == cost.shape[0]\nActual: 4 != 3");
  invalid([&] { loss({zeros(2)}, {y1}); },
          "crf1d: expected ys[0] to be integers of shape (2,), got int32 (1,)");
  invalid(
      [&] {
        loss({zeros(1), zeros(1)}, {y1});
      },
      "expected labels ys for each of the 2 steps in xs, got 1");
  invalid([&] { loss({}, {}); }, "crf1d: expected costs xs of at least one");
  invalid([&] { argmax_crf1d(cost, {}); }, "argmax_crf1d: expected costs");
  EXPECT_THAT(
      error_of<ValueError>([&] {
        loss({zeros(2)}, {array::array({0, 3})});
      }),
      HasSubstr("crf1d: expected labels from 0 to 2, got 3 for 3 classes"));
  EXPECT_THAT(
      error_of<ValueError>([&] { loss({zeros(1)}, {y1}, {.reduce = "sum"}); }),
      HasSubstr("got \"sum\""));
}

}  // namespace
}  // namespace catena::functions
