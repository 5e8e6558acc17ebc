// Losses over sampled words: negative_sampling and black_out.

#include <gmock/gmock.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/loss/black_out.h"
#include "catena/functions/loss/internal/index_groups.h"
#include "catena/functions/loss/internal/indexed_dot.h"
#include "catena/functions/loss/negative_sampling.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class SampledLossTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(SampledLoss, SampledLossTest, testing::every_device(),
                         testing::device_name);

Array random_labels(const Shape& shape, int64_t min, int64_t end) {
  array::random::Generator generator(3, current_device());
  return generator.randint(min, end, shape, Dtype::kInt32);
}

TEST_P(SampledLossTest, GradientsMatchFiniteDifferences) {
  const Array x = testing::uniform({4, 5});
  const Array W = testing::uniform({7, 5}, -1, 1, Dtype::kFloat64, 4);
  const Array indices = random_labels({4, 3}, -1, 7);
  testing::check_function_gradients(
      [&](const Variable& x, const Variable& W) {
        return indexed_dot(x, W, indices, "indexed_dot");
      },
      {x, W});
  const Sampler sampler = [](const Shape& shape) {
    return random_labels(shape, 0, 7);
  };
  const Array t = array::array({0, -1, 6, 6});
  for (const std::string_view reduce : {"sum", "no"}) {
    testing::check_function_gradients(
        [&](const Variable& x, const Variable& W) {
          return negative_sampling(x, t, W, sampler, 3, {.reduce = reduce});
        },
        {x, W});
  }
  testing::check_function_gradients(
      [&](const Variable& x, const Variable& W) {
        return black_out(x, array::array({0, 1, 2, 3}), W,
                         3 + indices.clip(0, 3));
      },
      {x, W});
  testing::check_function_gradients(
      [&](const Variable& x, const Variable& W) {
        return negative_sampling(x, array::zeros({0}, Dtype::kInt32), W,
                                 sampler, 2);
      },
      {array::zeros({0, 5}), W});
}

// Vectors longer than several registers, in every dtype, many rows for threads.
TEST_P(SampledLossTest, IndexedDotAgreesWithArrayOperations) {
  for (const int64_t width : {1, 16, 31, 64, 100, 200}) {
    const Array x = testing::uniform({300, width});
    const Array W = testing::uniform({50, width}, -1, 1, Dtype::kFloat64, 4);
    const Array g = testing::uniform({300, 6}, -1, 1, Dtype::kFloat64, 5);
    const Array indices = random_labels({300, 6}, -1, 50);
    for (const Dtype dtype : testing::float_dtypes()) {
      const auto rounded = [&](const Array& a) {
        return a.astype(dtype).astype(Dtype::kFloat64);
      };
      const Variable vx(x.astype(dtype));
      const Variable vW(W.astype(dtype));
      const Variable y = indexed_dot(vx, vW, indices, "indexed_dot");
      y.set_grad(g.astype(dtype));
      y.backward();

      const Array counts =
          array::greater_equal(indices, 0).astype(Dtype::kFloat64);
      const Array taken =
          array::take(rounded(W), array::maximum(indices, 0), 0) *
          counts.expand_dims(2);
      const Array rows = rounded(x).expand_dims(1);
      const Array weights = rounded(g).expand_dims(2);
      const testing::Tolerance tolerance =
          dtype == Dtype::kBFloat16 ? testing::Tolerance{0.02, 0.02}
                                    : testing::default_tolerance(dtype);
      const auto expect = [&](const Array& got, const Array& expected) {
        EXPECT_THAT(got, testing::IsClose(expected.astype(dtype), tolerance));
      };
      expect(y.data(), array::sum(taken * rows, {.axis = 2}));
      expect(vx.grad(), array::sum(taken * weights, {.axis = 1}));
      Array gW = array::zeros(W.shape());
      array::scatter_add(gW, array::maximum(indices, 0), 0,
                         rows * weights * counts.expand_dims(2));
      expect(vW.grad(), gW);
    }
  }
}

TEST_P(SampledLossTest, GroupsHoldThePositionsOfEachIndexInOrder) {
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kInt64}) {
    const Array indices = array::array({{2, -1, 0}, {2, 3, 2}}).astype(dtype);
    const IndexGroups groups = group_indices(indices, 5);
    EXPECT_THAT(groups.starts,
                testing::IsArray(
                    array::array({1, 2, 2, 5, 6, 6}).astype(Dtype::kInt32)));
    EXPECT_THAT(groups.positions,
                testing::IsArray(
                    array::array({1, 2, 0, 3, 5, 4}).astype(Dtype::kInt32)));
  }
}

TEST(SampledLossErrorTest, NamesWhatItRejects) {
  const Variable x(array::zeros({2, 3}));
  const Variable W(array::zeros({5, 3}));
  const Array t = array::zeros({2}, Dtype::kInt32);
  const auto sampler = [](int value) {
    return [value](const Shape& shape) {
      return array::full(shape, value, Dtype::kInt32);
    };
  };
  const auto rejects = [&](const auto& call, std::string_view text) {
    EXPECT_THAT(error_of<ValueError>(call), HasSubstr(std::string(text)));
  };
  rejects(
      [&] {
        negative_sampling(x, array::array({0, 5}), W, sampler(0), 2);
      },
      "negative_sampling: expected labels from 0 to 4 or -1, which is "
      "ignored, got 5 for 5 classes");
  rejects([&] { negative_sampling(x, t, W, sampler(7), 2); }, "got 7");
  rejects([&] { negative_sampling(x, t, W, sampler(0), -1); },
          "expected sample_size of at least 0, got -1");
  rejects([&] { negative_sampling(x, t, W, sampler(0), 1, {.reduce = "max"}); },
          "negative_sampling: expected reduce \"sum\" or \"no\"");
  rejects(
      [&] {
        negative_sampling(
            x, t, W, [](const Shape&) { return array::zeros({2}); }, 2);
      },
      "expected the sampler to return integers of shape (2, 3), got float64 "
      "(2,)");
  rejects(
      [&] {
        black_out(x, t, W, array::array({{0}, {-1}}));
      },
      "black_out: expected labels from 0 to 4, got -1");
  rejects(
      [&] {
        black_out(x, array::array({0, 9}), W, array::array({{0}, {1}}));
      },
      "got 9");

  const auto invalid = [&](const auto& call, std::string_view text) {
    EXPECT_THAT(error_of<InvalidType>(call), HasSubstr(std::string(text)));
  };
  invalid(
      [&] {
        negative_sampling(x, t, Variable(array::zeros({5, 4})), sampler(0), 2);
      },
      "Expect: x.shape[1] == W.shape[1]\nActual: 3 != 4");
  invalid(
      [&] {
        black_out(x, array::zeros({2}), W, array::array({{0}, {1}}));
      },
      "Expect: t.dtype is an integer");
  invalid(
      [&] {
        black_out(x, t, W, array::array({0, 1}));
      },
      "Expect: samples.ndim == 2");
  invalid([&] { indexed_dot(x, W, t, "mine"); },
          "mine: expected integers of shape (2, n) on native:0 for the rows of "
          "W, got int32 (2,) on native:0");
}

}  // namespace
}  // namespace catena::functions
