#include "catena/array/user_kernel/elementwise_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/array/user_kernel/memoize.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::device_dtype_name;
using ::catena::testing::device_name;
using ::catena::testing::error_of;
using ::catena::testing::every_device;
using ::catena::testing::every_device_and_dtype;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ElementwiseKernelTest : public ::catena::testing::DeviceTest {
 protected:
  const ElementwiseKernel squared_diff_{
      "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff"};
};

TEST_P(ElementwiseKernelTest, BroadcastsArraysAndNumbers) {
  const Array x = arange(10, Dtype::kFloat32).reshape({2, 5});
  const Array y = arange(5, Dtype::kFloat32);
  EXPECT_THAT(
      squared_diff_(x, y),
      IsArray(array({{0, 0, 0, 0, 0}, {25, 25, 25, 25, 25}}, Dtype::kFloat32)));
  EXPECT_THAT(
      squared_diff_(x, 5),
      IsArray(array({{25, 16, 9, 4, 1}, {0, 1, 4, 9, 16}}, Dtype::kFloat32)));
  EXPECT_THAT(squared_diff_(5, 2.0f), IsArray(array(9, Dtype::kInt64)));
}

TEST_P(ElementwiseKernelTest, WritesIntoAnOutputThatIsGiven) {
  const Array x = arange(10, Dtype::kFloat32).reshape({2, 5});
  const Array z = zeros({5, 4}, Dtype::kFloat32);
  const Array part = z[{Slice(), Slice(0, 4, 2)}].T();
  EXPECT_TRUE(squared_diff_(x, 1, part).is_same(part));
  EXPECT_THAT(part, IsArray(square(x - 1)));
  EXPECT_THAT((z[{Slice(), 1}]), IsArray(zeros({5}, Dtype::kFloat32)));
}

TEST_P(ElementwiseKernelTest, ALetterTakesTheOutputsDtypeBeforeTheNumbers) {
  const ElementwiseKernel fill("X x", "Z z", "z = x", "fill_with");
  const Array z = empty({3}, Dtype::kInt8);
  fill(7, z);
  EXPECT_THAT(z, IsArray(array({7, 7, 7}, Dtype::kInt8)));
  const ElementwiseKernel same("T x", "T y", "y = x / 2", "halve");
  const Array y = empty({2}, Dtype::kFloat32);
  same(3, y);
  EXPECT_THAT(y, IsArray(array({1.5, 1.5}, Dtype::kFloat32)));
}

TEST_P(ElementwiseKernelTest, UsesSeveralLettersAndPlaceholdersInTheText) {
  const ElementwiseKernel kernel("X x, Y y", "Z z", R"(
        Z diff = x - y;
        z = diff * diff;
      )",
                                 "super_generic");
  const Array x = array({1, 2, 3}, Dtype::kInt32);
  const Array y = array({0.5, 0.5, 0.5});
  const Array z = empty({3}, Dtype::kFloat64);
  kernel(x, y, z);
  EXPECT_THAT(z, IsArray(array({0.25, 2.25, 6.25})));
}

TEST_P(ElementwiseKernelTest, RawParametersAreIndexedByTheText) {
  const ElementwiseKernel add_reverse(
      "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse");
  const Array x = arange(6);
  const Array y = arange(12).reshape({6, 2})[{Slice(), 1}];
  const Array expected = array({11, 10, 9, 8, 7, 6});
  EXPECT_THAT(add_reverse(x, y), IsArray(expected));
  EXPECT_THAT(add_reverse(x, y.copy()), IsArray(expected));
  const Array table = arange(6).reshape({2, 3}).T();
  EXPECT_THAT(add_reverse(x, table), IsArray(array({5, 3, 6, 4, 7, 5})));
}

TEST_P(ElementwiseKernelTest, WithRawParametersOnlyTheSizeIsGiven) {
  const ElementwiseKernel pairs("raw T x", "raw T y",
                                "y[i] = x[2 * i] + x[2 * i + 1] + n", "pairs");
  EXPECT_THAT(pairs({arange(6)}, {.size = 3}), IsArray(array({4, 8, 12})));
}

TEST_P(ElementwiseKernelTest, KeepsAxesForIndexesWithoutReduceDims) {
  const ElementwiseKernel kernel(
      "raw T x", "T y",
      "ptrdiff_t at[] = {_ind.get()[1], _ind.get()[0]}; y = x[at] * 10 + "
      "x.shape()[1] + x.ndim",
      "transposed", {.reduce_dims = false});
  const Array x = arange(6).reshape({2, 3});
  const Array y = empty({3, 2}, Dtype::kInt64);
  kernel(x, y);
  EXPECT_THAT(y, IsArray(x.T() * 10 + 5));
}

TEST_P(ElementwiseKernelTest, HasPreambleLoopPrepAndAfterLoop) {
  const ElementwiseKernel kernel(
      "T x, T slope", "T y, raw int64 calls", "y = rectify(x, factor); ++count",
      "leaky",
      {.preamble = "template <class A> __device__ A rectify(A x, A slope) {\n"
                   "  return x > 0 ? x : x * slope;\n}",
       .loop_prep = "T factor = slope * 2; unsigned long long count = 0",
       .after_loop =
           "atomicAdd(reinterpret_cast<unsigned long long*>(&calls[0]), "
           "count)"});
  const Array x = linspace(-4, 4, 50001);
  const Array y = empty_like(x);
  const Array calls = zeros({1}, Dtype::kInt64);
  kernel.call({x, 0.25, y, calls});
  EXPECT_THAT(y, IsArray(where(greater(x, 0), x, x * 0.5)));
  EXPECT_EQ(calls.item<int64_t>(), 50001);
}

TEST_P(ElementwiseKernelTest, GivesSeveralOutputs) {
  const ElementwiseKernel kernel("T x, T y", "T low, T high, bool swapped",
                                 "swapped = y < x; low = min(x, y); "
                                 "high = max(x, y)",
                                 "order");
  const std::vector<Array> outputs =
      kernel.call({array({3.0, 1.0, NAN}), array({2.0, 4.0, 5.0})});
  EXPECT_THAT(outputs[0], IsArray(array({2.0, 1.0, 5.0})));
  EXPECT_THAT(outputs[1], IsArray(array({3.0, 4.0, 5.0})));
  EXPECT_THAT(outputs[2], IsArray(array({true, false, false})));
  EXPECT_THAT(error_of<ValueError>([&] { kernel(1, 2); }),
              HasSubstr("order: expected call(), since there are 3 outputs"));
}

TEST_P(ElementwiseKernelTest, UpdatesInPlace) {
  const ElementwiseKernel sgd("T grad, T lr", "T param", "param -= lr * grad",
                              "sgd");
  const Array param = array({1.0, 2.0, 3.0});
  sgd(array({10.0, 20.0, 30.0}), 0.1, param);
  EXPECT_THAT(param, IsClose(array({0.0, 0.0, 0.0})));
  squared_diff_(param, 1, param);
  EXPECT_THAT(param, IsClose(array({1.0, 1.0, 1.0})));
}

TEST_P(ElementwiseKernelTest, ReadsAnInputBeforeAnOverlappingOutputIsWritten) {
  const Array a = arange(100001);
  const Array expected = square(a[{Slice(0, 100000)}]);
  squared_diff_(a[{Slice(0, 100000)}], 0, a[{Slice(1, std::nullopt)}]);
  EXPECT_THAT((a[{Slice(1, std::nullopt)}]), IsArray(expected));
}

TEST_P(ElementwiseKernelTest, WalksEveryLayout) {
  const Array base = arange(2 * 3 * 4 * 5, Dtype::kFloat32);
  const Array x = base.reshape({2, 3, 4, 5});
  const std::vector<Array> views = {
      x,
      x.T(),
      x.transpose({0, 2, 1, 3}),
      x[{Slice(), Slice(std::nullopt, std::nullopt, -1), ellipsis}],
      x[{ellipsis, Slice(0, 5, 3)}],
      x[{Slice(0, 1)}],
      x[0][0][0][0],
      x[{Slice(0, 0)}],
      x[{Slice(), 0}].expand_dims(1).broadcast_to({2, 3, 4, 5}),
  };
  for (const Array& view : views) {
    const Array y = square(view);
    EXPECT_THAT(squared_diff_(view, 0), IsArray(y)) << view.shape();
    const Array index =
        ElementwiseKernel("T x", "int64 y", "y = i", "position")(view);
    EXPECT_THAT(index.ravel(), IsArray(arange(view.size())));
  }
}

TEST_P(ElementwiseKernelTest, CoversLargeArrays) {
  const Array x = arange(1000003, Dtype::kFloat64);
  EXPECT_THAT(squared_diff_(x, 3), IsArray(square(x - 3)));
  EXPECT_THAT(squared_diff_(x[{Slice(std::nullopt, std::nullopt, -1)}], 3),
              IsArray(square(x - 3)[{Slice(std::nullopt, std::nullopt, -1)}]));
}

TEST_P(ElementwiseKernelTest, CallsTheMathematicsOfBothBackends) {
  const ElementwiseKernel kernel(
      "T x", "T y",
      "y = exp(x) + tanh(x) * sqrt(fabs(x)) + pow(x, T(2)) + "
      "rsqrt(x * x + 1) + log1p(fabs(x))",
      "mathematics");
  const Array x = linspace(-2, 2, 101);
  EXPECT_THAT(kernel(x),
              IsClose(exp(x) + tanh(x) * sqrt(absolute(x)) + square(x) +
                      1 / sqrt(square(x) + 1) + log1p(absolute(x))));
}

TEST_P(ElementwiseKernelTest, ShowsTheTextsOwnLinesWhenItDoesNotCompile) {
  const ElementwiseKernel kernel("T x", "T y", "T twice = x + x;\ny = twise;\n",
                                 "misspelt");
  EXPECT_THAT(error_of<CompileError>([&] { kernel(arange(3)); }),
              AllOf(HasSubstr("misspelt: expected code that compiles"),
                    HasSubstr("operation:\n"
                              "   1 | T twice = x + x;\n"
                              "   2 | y = twise;\n"),
                    ::testing::AnyOf(HasSubstr("operation:2:"),
                                     HasSubstr("operation(2)")),
                    HasSubstr("twise")));
}

TEST_P(ElementwiseKernelTest, NamesThePartOfTheTextThatDoesNotCompile) {
  const ElementwiseKernel kernel("T x", "T y", "y = x", "broken",
                                 {.preamble = "\n\nint f( {", .options = {}});
  EXPECT_THAT(error_of<CompileError>([&] { kernel(arange(3)); }),
              AllOf(HasSubstr("   3 | int f( {"),
                    ::testing::AnyOf(HasSubstr("preamble:3:"),
                                     HasSubstr("preamble(3)"))));
}

TEST_P(ElementwiseKernelTest, CompilesAgainAfterAFailure) {
  const ElementwiseKernel kernel("T x", "T y", "y = x.real", "fails_twice");
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_THROW(kernel(arange(3)), CompileError);
  }
}

TEST_P(ElementwiseKernelTest, StartsCompilingBeforeTheCall) {
  const Array x = arange(3, Dtype::kFloat32);
  const ElementwiseKernel twice("T x", "T y", "y = x * 2", "twice_soon");
  twice.start_compiling(x);
  twice.start_compiling({x}, {});
  EXPECT_THAT(twice(x), IsArray(x + x));
  twice.start_compiling(x);
  EXPECT_THROW(twice.start_compiling(x, x, x), ValueError);

  const ElementwiseKernel wrong("T x", "T y", "y = unknown", "wrong_soon");
  wrong.start_compiling(x);
  EXPECT_THROW(wrong(x), CompileError);
}

TEST_P(ElementwiseKernelTest, ServesManyThreads) {
  const ElementwiseKernel kernel("T x", "T y", "y = x + 1", "from_threads");
  std::vector<std::thread> threads;
  std::vector<Array> results(8);
  const Device where = device();
  for (size_t k = 0; k < results.size(); ++k) {
    threads.emplace_back([&, k] {
      const DeviceScope scope(where);
      results[k] = kernel(arange(1000));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Array& result : results) {
    EXPECT_THAT(result, IsArray(arange(1, 1001)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElementwiseKernelTest, every_device(),
                         device_name);

class ElementwiseKernelDtypeTest : public ::catena::testing::DeviceDtypeTest {};

TEST_P(ElementwiseKernelDtypeTest, ComputesInEveryDtype) {
  const ElementwiseKernel kernel("T x, T y", "T z",
                                 "T sum = x; sum = sum + y; z = max(sum, y)",
                                 "sum_in_dtype");
  const Array x = array({0, 1, 1, 0}).astype(dtype());
  const Array y = array({0, 0, 1, 1}).astype(dtype());
  EXPECT_THAT(kernel(x, y), IsArray(maximum(x + y, y)));
}

INSTANTIATE_TEST_SUITE_P(All, ElementwiseKernelDtypeTest,
                         every_device_and_dtype(), device_dtype_name);

TEST(ElementwiseKernelFloat16Test, RoundsAsTheLibraryDoes) {
  const ElementwiseKernel kernel("T x, float64 y", "T z, T w",
                                 "z = y; w = x; w += 1; w *= 3; w = exp(w) / 3",
                                 "rounding");
  const Array y = linspace(-70000, 70000, 9973);
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16}) {
    const Array x = linspace(-2, 1, 9973).astype(dtype);
    const std::vector<Array> z = kernel.call({x, y});
    EXPECT_THAT(z[0], IsArray(y.astype(dtype)));
    EXPECT_THAT(z[1], IsClose(exp((x + 1) * 3) / 3));
  }
}

// What the constructor and the call refuse, before anything is compiled.
template <class E, class F>
void expect_error(const F& f, const std::string& message) {
  EXPECT_THAT(error_of<E>(f), HasSubstr(message));
}

TEST(ElementwiseKernelErrorTest, ConstructorChecksNamesAndParameters) {
  const auto make = [](const char* in, const char* out, const char* name) {
    return [=] { ElementwiseKernel(in, out, "", name); };
  };
  expect_error<ValueError>(make("T x", "T y", "a-b"),
                           "kernel: expected a name of letters, digits and "
                           "underscores, got 'a-b'");
  expect_error<ValueError>(make("T x", "", "k"),
                           "k: expected at least one parameter in out_params");
  expect_error<ValueError>(make("T x y", "T z", "k"), "k: in_params: ");
  expect_error<ValueError>(make("T x", "T", "k"), "k: out_params: ");
  expect_error<ValueError>(make("T x", "T x", "k"),
                           "got 'x' in both in_params");
  std::string many = "T x0";
  for (int k = 1; k < 30; ++k) many += ", T x" + std::to_string(k);
  expect_error<ValueError>(make(many.c_str(), "T y", "k"),
                           "k: expected at most 24 parameters, got 31");
}

TEST(ElementwiseKernelErrorTest, NamesKernelAndParameter) {
  const ElementwiseKernel k("T x, float32 y", "S z", "", "k");
  const Array x = arange(3);
  const Array f = ones({3}, Dtype::kFloat32);
  expect_error<ValueError>([&] { k(x); },
                           "k: expected 2 arguments (T x, float32 y) or 3 with "
                           "the outputs (S z), got 1");
  expect_error<DtypeError>(
      [&] { k(x, f); },
      "k: expected arguments that determine S, got none for parameter 'z'");
  expect_error<DtypeError>([&] { k(x, x, x); },
                           "k: expected float32 for parameter 'y', got int64");
  expect_error<InvalidType>([&] { k(x, f, 3); },
                            "k: expected an array for output parameter 'z', "
                            "got the number 3");
  expect_error<ValueError>([&] { k(Array(), f, x); },
                           "for parameter 'x', got an undefined one");
  expect_error<ValueError>(
      [&] { k(x, f, ones({1}).broadcast_to({3})); },
      "k: parameter 'z': expected an array whose elements are distinct");
  expect_error<DeviceError>([&] { k(x, f.to_device(native_device(1)), x); },
                            "k: expected parameter 'y' on native:0 like the "
                            "parameters before it, got native:1");
  expect_error<ShapeError>([&] { k(x, ones({4}, Dtype::kFloat32), x); },
                           "k: parameter 'y'");
  expect_error<ShapeError>([&] { k(x, f, zeros({1})); },
                           "k: expected shape (3,) for output 'z', got (1,)");
}

TEST(ElementwiseKernelErrorTest, ALetterStandsForOneDtype) {
  const ElementwiseKernel k("T x, T y", "T z", "", "k");
  expect_error<DtypeError>(
      [&] { k(arange(3), ones({3})); },
      "k: expected int64, deduced for T, for parameter 'y', got float64");
  expect_error<DtypeError>(
      [&] { k(arange(3), arange(3), ones({3})); },
      "k: expected float64, deduced for T, for parameter 'x', got int64");
  expect_error<DtypeError>([&] { k(array({1}, Dtype::kInt8), 300); },
                           "k: parameter 'y'");
}

TEST(ElementwiseKernelErrorTest, RawParametersNeedASize) {
  const ElementwiseKernel k("raw T x", "raw T y", "", "k");
  const Array x = arange(3);
  expect_error<ValueError>([&] { k(x); }, "k: expected the option size, ");
  expect_error<InvalidType>([&] { k({3}, {.size = 3}); },
                            "k: expected an array for raw parameter 'x'");
  expect_error<ValueError>([&] { k({x}, {.size = -1}); },
                           "k: expected a size of at least 0, got -1");
  const ElementwiseKernel mixed("T x", "raw T y", "", "mixed");
  expect_error<ValueError>([&] { mixed({x}, {.size = 3}); },
                           "mixed: expected size only if all arrays are "
                           "raw, got size 3");
  expect_error<ValueError>([&] { mixed(x); },
                           "mixed: expected an array for raw output 'y'");
}

TEST(ElementwiseKernelErrorTest, NothingIsWrittenWhenACheckFails) {
  const ElementwiseKernel k("T x", "T y", "y = 7", "k");
  const Array y = zeros({3});
  EXPECT_THROW(k(arange(3), y), DtypeError);
  EXPECT_THAT(y, IsArray(zeros({3})));
}

TEST(ElementwiseKernelPropertiesTest, TellsWhatItWasMadeFrom) {
  const ElementwiseKernel k("raw  T x,f4 y", "T z", "z = y", "told",
                            {.loop_prep = "int a", .after_loop = "a = 1"});
  EXPECT_EQ(k.name(), "told");
  EXPECT_EQ(k.in_params(), "raw T x, float32 y");
  EXPECT_EQ(k.out_params(), "T z");
  EXPECT_EQ(k.operation(), "z = y");
  EXPECT_EQ(k.options().loop_prep, "int a");
  EXPECT_EQ(k.options().after_loop, "a = 1");
}

TEST(ElementwiseFunctionTest, KeepsOneKernelForEqualTexts) {
  const auto make = [](const char* name) {
    return elementwise("T x", "T y", "y = x", name);
  };
  const ElementwiseKernel first = make("memoized");
  EXPECT_EQ(&first.name(), &make("memoized").name());
  EXPECT_NE(&first.name(), &make("other").name());
  clear_memo();
  EXPECT_NE(&first.name(), &make("memoized").name());
}

}  // namespace
}  // namespace catena::array
