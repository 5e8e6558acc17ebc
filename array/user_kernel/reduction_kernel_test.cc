#include "catena/array/user_kernel/reduction_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::device_name;
using ::catena::testing::error_of;
using ::catena::testing::every_device;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;

class ReductionKernelTest : public ::catena::testing::DeviceTest {
 protected:
  const ReductionKernel l2norm_{"T x",         "T y", "x * x", "a + b",
                                "y = sqrt(a)", "0",   "l2norm"};
  const ReductionKernel sum_{"T x", "T y", "x", "a + b", "y = a", "0", "total"};
};

TEST_P(ReductionKernelTest, ReducesAnAxis) {
  const Array x = arange(10, Dtype::kFloat32).reshape({2, 5});
  EXPECT_THAT(l2norm_({x}, {.axis = 1}),
              IsClose(array({5.47722578, 15.96871948}, Dtype::kFloat32)));
  EXPECT_THAT(l2norm_({x}, {.axis = -2}),
              IsClose(sqrt(sum(square(x), {.axis = 0}))));
  EXPECT_THAT(l2norm_(x), IsClose(sqrt(sum(square(x)))));
}

TEST_P(ReductionKernelTest, KeepsReducedAxesWithKeepdims) {
  const Array x = arange(24).reshape({2, 3, 4});
  EXPECT_THAT(sum_({x}, {.axis = {0, 2}, .keepdims = true}),
              IsArray(sum(x, {.axis = {0, 2}, .keepdims = true})));
  EXPECT_THAT(sum_({x}, {.keepdims = true}), IsArray(array({{{276}}})));
}

TEST_P(ReductionKernelTest, AnEmptyListOfAxesReducesNothing) {
  const Array x = arange(6).reshape({2, 3});
  EXPECT_THAT(l2norm_({x.astype(Dtype::kFloat64)}, {.axis = Axes()}),
              IsArray(x.astype(Dtype::kFloat64)));
  const Array deep = x.reshape({1, 2, 1, 3, 1, 1, 1, 1});
  EXPECT_THAT(sum_({deep}, {.axis = Axes()}), IsArray(deep));
}

TEST_P(ReductionKernelTest, AgreesWithSumOnEveryLayoutAndAxis) {
  const Array x = arange(2 * 3 * 70 * 5).reshape({2, 3, 70, 5});
  const std::vector<Array> views = {
      x, x.T(), x.transpose({2, 0, 3, 1}),
      x[{ellipsis, Slice(std::nullopt, std::nullopt, -2)}],
      x[{Slice(), 0}].expand_dims(1).broadcast_to({2, 3, 70, 5})};
  const std::vector<Axes> all_axes = {{0},    {1},    {3},
                                      {0, 2}, {1, 3}, {0, 1, 2, 3}};
  for (const Array& view : views) {
    for (const Axes& axes : all_axes) {
      EXPECT_THAT(sum_({view}, {.axis = axes}),
                  IsArray(sum(view, {.axis = axes})))
          << view.strides() << axes;
    }
  }
}

TEST_P(ReductionKernelTest, GivesTheIdentityForNoElements) {
  EXPECT_THAT(sum_({zeros({3, 0})}, {.axis = 1}), IsArray(zeros({3})));
  EXPECT_THAT(sum_({zeros({3, 0})}, {.axis = 0}), IsArray(zeros({0})));
  EXPECT_THAT(sum_(zeros({0})), IsArray(array(0.0)));
  EXPECT_THAT(sum_(array(3.5)), IsArray(array(3.5)));
}

TEST_P(ReductionKernelTest, IsTheSameOnAnyNumberOfThreads) {
  const Array x = tanh(remainder(arange(3 * 200001) * 7919, 10007) * 1e-3)
                      .reshape({3, 200001});
  const int before = get_num_threads();
  std::vector<Array> results;
  for (const int threads : {1, 2, 7}) {
    set_num_threads(threads);
    results.push_back(sum_({x}, {.axis = 1}));
    results.push_back(sum_({x.T().copy()}, {.axis = 0}));
  }
  set_num_threads(before);
  EXPECT_THAT(results[0], IsClose(sum(x, {.axis = 1})));
  EXPECT_THAT(results[1], IsClose(results[0]));
  for (size_t k = 2; k < results.size(); ++k) {
    EXPECT_THAT(results[k], IsArray(results[k % 2]));
  }
}

TEST_P(ReductionKernelTest, BroadcastsItsInputs) {
  const ReductionKernel dot("T x, T y, T scale", "T z", "x * y", "a + b",
                            "z = a * scale", "0", "scaled_dot");
  const Array x = arange(12, Dtype::kFloat64).reshape({3, 4});
  const Array y = arange(4, Dtype::kFloat64);
  EXPECT_THAT(dot({x, y, 0.5}, {.axis = 1}),
              IsClose(sum(x * y, {.axis = 1}) * 0.5));
}

TEST_P(ReductionKernelTest, RawInputsAreIndexedByPosition) {
  // The picture of Chainer's softmax_cross_entropy: pick by label, and weigh.
  const ReductionKernel pick("S t, raw T log_y, int32 n_channel, raw T coeff",
                             "T out",
                             "t == -1 ? T(0) : log_y[_j * n_channel + t]",
                             "a + b", "out = a * -coeff[0]", "0", "pick");
  const Array log_y = arange(12, Dtype::kFloat32).reshape({4, 3});
  const Array t = array({0, 2, -1, 1}, Dtype::kInt32);
  const Array coeff = array({0.5}, Dtype::kFloat32);
  EXPECT_THAT(pick(t, log_y, 3, coeff), IsArray(array(-7.5, Dtype::kFloat32)));
}

TEST_P(ReductionKernelTest, KnowsPositionsWhateverTheAxes) {
  const ReductionKernel weigh("T x, raw T w", "T y", "x * w[_j]", "a + b",
                              "y = a + _i * 1000", "0", "weigh");
  const Array x = arange(6).reshape({2, 3}) + 1;
  const Array w = arange(6) * 2;
  for (const Axes& axes : {Axes{0}, Axes{1}}) {
    const Array expected = sum(x * w.reshape({2, 3}), {.axis = axes});
    EXPECT_THAT(weigh({x, w}, {.axis = axes}),
                IsArray(expected + arange(expected.size()) * 1000));
  }
}

TEST_P(ReductionKernelTest, HasSeveralOutputsAndATypeOfItsOwnInBetween) {
  const ReductionKernel extremes(
      "T x", "T low, T high, int64 where", "Extremes<T>{x, x, _j}",
      "join(a, b)", "low = a.low; high = a.high; where = a.at",
      "Extremes<T>{T(1e30), T(-1e30), -1}", "extremes",
      {.reduce_type = "Extremes<T>", .preamble = R"(
template <class T> struct Extremes { T low, high; int64_t at; };
template <class T>
__device__ Extremes<T> join(const Extremes<T>& a, const Extremes<T>& b) {
  Extremes<T> c = a.high < b.high || a.at < 0 ? b : a;
  if (a.high == b.high && a.at >= 0 && b.at >= 0) c.at = a.at < b.at ? a.at : b.at;
  c.low = a.low < b.low ? a.low : b.low;
  return c;
})"});
  const Array x = remainder(arange(100000) * 7919, 10007)
                      .astype(Dtype::kFloat32)
                      .reshape({100, 1000});
  const std::vector<Array> y = extremes.call({x}, {.axis = 1});
  EXPECT_THAT(y[0], IsArray(amin(x, {.axis = 1})));
  EXPECT_THAT(y[1], IsArray(amax(x, {.axis = 1})));
  EXPECT_THAT(y[2], IsArray(argmax(x, 1) + arange(100) * 1000));
}

TEST_P(ReductionKernelTest, WritesIntoAnOutputThatIsGiven) {
  const Array x = arange(6).reshape({2, 3});
  const Array out = zeros({3, 2}, Dtype::kInt64);
  const Array column = out[{Slice(), 1}];
  sum_({x, column}, {.axis = 0});
  EXPECT_THAT(out, IsArray(array({{0, 3}, {0, 5}, {0, 7}})));
  // Into its own input.
  const Array row = x[0];
  sum_({x, row}, {.axis = 0});
  EXPECT_THAT(row, IsArray(array({3, 5, 7})));
}

TEST_P(ReductionKernelTest, AccumulatesInReduceType) {
  const ReductionKernel mean("T x", "T y", "x", "a + b",
                             "y = a / _in_ind.size()", "0", "mean_in_float",
                             {.reduce_type = "float"});
  const Array x = full({5000}, 2.0f, Dtype::kFloat16);
  EXPECT_THAT(mean(x), IsArray(array(2, Dtype::kFloat16)));
}

TEST_P(ReductionKernelTest, ShowsTheExpressionThatDoesNotCompile) {
  const ReductionKernel kernel("T x", "T y", "x", "a +* c", "y = a", "0",
                               "wrong");
  EXPECT_THAT(error_of<CompileError>([&] { kernel(arange(3)); }),
              HasSubstr("wrong: expected code that compiles, got errors "
                        "in\nreduce_expr:\n   1 | a +* c\n"));
}

INSTANTIATE_TEST_SUITE_P(All, ReductionKernelTest, every_device(), device_name);

TEST(ReductionKernelErrorTest, NamesKernelAndParameter) {
  const ReductionKernel k("T x, raw T w", "T y", "x", "a + b", "y = a", "0",
                          "k");
  const Array x = arange(6).reshape({2, 3});
  const auto expect = [](const auto& f, const std::string& message) {
    EXPECT_THAT(error_of<Error>(f), HasSubstr(message));
  };
  expect([&] { k(x); }, "k: expected 2 arguments (T x, raw T w) or 3");
  expect([&] { k({x, x}, {.axis = 2}); }, "k");
  expect([&] { k(1, x); },
         "k: expected an input array that is not raw, whose axes");
  expect([&] { k(x, 1); }, "k: expected an array for raw parameter 'w'");
  expect(
      [&] {
        k({x, x, arange(2)}, {.axis = 0});
      },
      "k: expected shape (3,) for output 'y', got (2,)");
  EXPECT_THROW(k({x, x}, {.axis = 2}), IndexError);
}

TEST(ReductionKernelErrorTest, ConstructorChecksIdentityAndOutputs) {
  const auto make = [](const char* out, const char* identity) {
    return [=] {
      ReductionKernel("T x", out, "x", "a + b", "y = a", identity, "k");
    };
  };
  EXPECT_THAT(error_of<ValueError>(make("T y", " ")),
              HasSubstr("k: expected an identity"));
  EXPECT_THAT(error_of<ValueError>(make("raw T y", "0")),
              HasSubstr("k: expected outputs of a reduction not to be raw"));
}

TEST(ReduceFunctionTest, KeepsOneKernelForEqualTexts) {
  const auto make = [](const char* identity) {
    return reduce("T x", "T y", "x", "a + b", "y = a", identity, "memoized");
  };
  EXPECT_EQ(&make("0").name(), &make("0").name());
  EXPECT_NE(&make("0").name(), &make("1 - 1").name());
}

}  // namespace
}  // namespace catena::array
