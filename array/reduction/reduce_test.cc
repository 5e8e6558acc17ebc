#include "catena/array/reduction/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using testing::DeviceTest;
using testing::every_device;
using testing::GoldenCase;
using testing::GoldenDeviceTest;
using ::testing::HasSubstr;
using testing::IsArray;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

using Reduce = Array (*)(const Array&, const ReduceOptions&);
const std::map<std::string, Reduce> kReductions = {
    {"sum", sum},   {"prod", prod}, {"mean", mean},
    {"amax", amax}, {"amin", amin}, {"max", max},
    {"min", min},   {"all", all},   {"any", any}};

bool is_reduction(const GoldenCase& golden) {
  const std::string op = golden.attr<std::string>("op");
  return kReductions.contains(op) || op == "argmax" || op == "argmin";
}

class ReduceGolden : public GoldenDeviceTest {};

TEST_P(ReduceGolden, AgreesWithNumPy) {
  const std::string op = golden().attr<std::string>("op");
  const Array x = array("in0");
  if (op == "argmax" || op == "argmin") {
    std::optional<int64_t> axis;
    if (golden().has_attr("axis")) axis = golden().attr<int64_t>("axis");
    EXPECT_THAT(op == "argmax" ? argmax(x, axis) : argmin(x, axis),
                IsArray(golden().array("out0")));
    return;
  }
  ReduceOptions options;
  options.keepdims = golden().attr_or<bool>("keepdims", false);
  if (golden().has_attr("axis")) options.axis = golden().attr<Shape>("axis");
  if (golden().has_attr("dtype")) {
    options.dtype = dtype_from_name(golden().attr<std::string>("dtype"));
  }
  EXPECT_THAT(kReductions.at(op)(x, options), golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(All, ReduceGolden,
                         testing::every_device_and_case("array/reductions",
                                                        is_reduction),
                         testing::golden_device_name);

// Small integers, which every dtype and every order of summation hold exactly.
Array small_integers(const Shape& shape, Dtype dtype) {
  std::mt19937 random(7);
  std::vector<double> values(size_of(shape));
  for (double& value : values) value = static_cast<int>(random() % 4);
  return array(values, shape).astype(dtype);
}

// The elements in C order, read one by one through strides.
std::vector<double> elements(const Array& a) {
  const Array flat =
      a.astype(Dtype::kFloat64).ravel().to_device(native_device());
  return {flat.data<double>(), flat.data<double>() + flat.size()};
}

// Reduces the way the definition reads: moves the kept axes in front and walks
// the rest.
template <class F>
std::vector<double> by_definition(const Array& a, const Axes& axes, F reduce) {
  Axes order;
  int64_t outputs = 1;
  for (int i = 0; i < a.ndim(); ++i) {
    if (axes.contains(i)) continue;
    order.push_back(i);
    outputs *= a.shape()[i];
  }
  for (const int64_t axis : axes) order.push_back(axis);
  const std::vector<double> values =
      elements(a.ndim() == 0 ? a : a.transpose(order).copy());
  const int64_t count = outputs == 0 ? 0 : a.size() / outputs;
  std::vector<double> results;
  for (int64_t i = 0; i < outputs; ++i) {
    results.push_back(reduce(std::vector<double>(
        values.begin() + i * count, values.begin() + (i + 1) * count)));
  }
  return results;
}

double sum_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}

double sum_of_squares_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum;
}

double max_of(const std::vector<double>& x) {
  return *std::max_element(x.begin(), x.end());
}

double argmin_of(const std::vector<double>& x) {
  return std::min_element(x.begin(), x.end()) - x.begin();
}

double count_of(const std::vector<double>& x) {
  return x.size() - std::count(x.begin(), x.end(), 0.0);
}

// Every layout that the kernels tell apart: long and short rows, narrow and
// wide columns, views of all sorts.
struct Layout {
  std::string name;
  Array (*make)(Dtype dtype);
  std::vector<Axes> axes;
};

const std::vector<Layout> kLayouts = {
    {"Matrix",
     [](Dtype t) {
       return small_integers({37, 53}, t);
     },
     {{0}, {1}, {0, 1}}},
    {"Transposed",
     [](Dtype t) {
       return small_integers({70, 33}, t).T();
     },
     {{0}, {1}}},
    {"WideColumns",
     [](Dtype t) {
       return small_integers({9, 2100}, t);
     },
     {{0}, {1}}},
    {"PacksOfColumns",
     [](Dtype t) {
       return small_integers({25, 24}, t);
     },
     {{0}, {1}}},
    {"OddRows",
     [](Dtype t) -> Array {
       return small_integers({4, 151}, t)[{Slice(), Slice(3, 149)}];
     },
     {{0}, {1}, {0, 1}}},
    {"LongRow", [](Dtype t) { return small_integers({5001}, t); }, {{0}}},
    {"LongRows",
     [](Dtype t) {
       return small_integers({3, 4500}, t);
     },
     {{1}, {0, 1}}},
    {"ShortRows",
     [](Dtype t) {
       return small_integers({300, 3}, t);
     },
     {{0}, {1}, {0, 1}}},
    {"EveryOther",
     [](Dtype t) -> Array {
       return small_integers({40, 60}, t)[{Slice(0, 40, 2), Slice(1, 60, 2)}];
     },
     {{0}, {1}, {0, 1}}},
    {"Reversed",
     [](Dtype t) -> Array {
       return small_integers({40, 60},
                             t)[{Slice({}, {}, -1), Slice({}, {}, -3)}];
     },
     {{0}, {1}, {0, 1}}},
    {"Broadcast",
     [](Dtype t) {
       return small_integers({30, 1}, t).broadcast_to({4, 30, 25});
     },
     {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}},
    {"Permuted",
     [](Dtype t) {
       return small_integers({4, 5, 6, 7}, t).transpose({2, 0, 3, 1});
     },
     {{0}, {1}, {2}, {3}, {0, 2}, {1, 3}, {0, 3}, {0, 1, 2, 3}}},
    {"Scalar", [](Dtype t) { return small_integers({}, t); }, {}},
};

class ReduceLayouts
    : public testing::DeviceGuardedTest,
      public ::testing::WithParamInterface<std::tuple<Device, Layout>> {
 protected:
  void SetUp() override { enter(device()); }
  Device device() const { return std::get<Device>(GetParam()); }
  const Layout& layout() const { return std::get<Layout>(GetParam()); }

  // Runs `test` with each compilation of the kernels that the machine has.
  template <class F>
  void on_every_target(F test) {
    if (!device().is_native()) {
      test();
      return;
    }
    const KernelTarget best = cpu_kernel_target();
    for (int i = 0; i <= static_cast<int>(best); ++i) {
      const auto target = static_cast<KernelTarget>(i);
      SCOPED_TRACE(kernel_target_name(target));
      set_cpu_kernel_target(target);
      test();
    }
    set_cpu_kernel_target(best);
  }

  void check_all(Dtype dtype) {
    const Array a = layout().make(dtype);
    for (const Axes& axes : layout().axes) {
      SCOPED_TRACE(to_string(dtype) + " over " + to_string(axes));
      EXPECT_EQ(elements(sum(a, {.axis = axes})),
                by_definition(a, axes, sum_of));
      if (is_floating(dtype)) {
        EXPECT_EQ(elements(sum_of_squares(a, {.axis = axes})),
                  by_definition(a, axes, sum_of_squares_of));
      }
      EXPECT_EQ(elements(max(a, {.axis = axes})),
                by_definition(a, axes, max_of));
      EXPECT_EQ(elements(count_nonzero(a, {.axis = axes})),
                by_definition(a, axes, count_of));
      const auto mean_of = [](const std::vector<double>& x) {
        return sum_of(x) / x.size();
      };
      const Dtype wide = Dtype::kFloat64;
      EXPECT_EQ(elements(mean(a, {.axis = axes, .dtype = wide})),
                by_definition(a, axes, mean_of));
      if (axes.size() == 1) {
        EXPECT_EQ(elements(argmin(a, axes[0])),
                  by_definition(a, axes, argmin_of));
      }
      const auto all_of = [](const std::vector<double>& x) {
        return count_of(x) == x.size() ? 1.0 : 0.0;
      };
      EXPECT_EQ(elements(all(a, {.axis = axes})),
                by_definition(a, axes, all_of));
    }
  }
};

TEST_P(ReduceLayouts, GiveWhatTheDefinitionSays) {
  on_every_target([this] {
    for (int i = 0; i < kDtypeCount; ++i) {
      // Sums of more than 2048 would be rounded in the 16-bit floats.
      const auto dtype = static_cast<Dtype>(i);
      const bool small = item_size(dtype) == 2 && is_floating(dtype);
      if (small && layout().make(dtype).size() > 600) continue;
      check_all(dtype);
    }
  });
}

std::string layout_name(
    const ::testing::TestParamInfo<ReduceLayouts::ParamType>& info) {
  return std::get<Layout>(info.param).name + '_' +
         testing::device_name({std::get<Device>(info.param), 0});
}

INSTANTIATE_TEST_SUITE_P(All, ReduceLayouts,
                         ::testing::Combine(every_device(),
                                            ::testing::ValuesIn(kLayouts)),
                         layout_name);

class ReduceTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(All, ReduceTest, every_device(), testing::device_name);

TEST_P(ReduceTest, SumOfManyFloatsIsAccurate) {
  // An emulated device is slow.
  const int64_t rows = device().is_native() ? 4096 : 512;
  const int64_t count = rows * 4096;
  const Array a = full({count}, 0.1f, Dtype::kFloat32);
  const double exact = static_cast<double>(count) * 0.1f;
  EXPECT_NEAR(sum(a).item<float>(), exact, 1e-6 * exact);
  const Array columns = sum(a.reshape({rows, 4096}), {.axis = 0});
  EXPECT_NEAR(columns[17].item<float>(), exact / 4096, 1e-6 * exact / 4096);
}

TEST_P(ReduceTest, SquaresOfHalvesDoNotOverflow) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16}) {
    const Array sum = sum_of_squares(full({3, 5}, 4096, dtype));
    EXPECT_EQ(sum.dtype(), Dtype::kFloat64);
    EXPECT_EQ(sum.item<double>(), 15 * 4096.0 * 4096.0);
  }
  EXPECT_THAT(error_of<DtypeError>([] { sum_of_squares(arange(3)); }),
              HasSubstr("sum_of_squares: not offered for dtype int64"));
}

TEST_P(ReduceTest, SumOfDoublesKeepsSmallTerms) {
  // Added one after the other, every second of these terms is lost.
  std::vector<double> values(1 << 20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 ? 1e-16 : 1.0;
  const double exact = values.size() / 2 * (1 + 1e-16);
  EXPECT_NEAR(sum(array(values)).item<double>(), exact, 1e-9);
}

TEST(ReduceOnTheCpuTest, ResultsDoNotDependOnThreads) {
  std::mt19937 random(3);
  std::vector<float> values(300000);
  for (float& value : values) value = std::ldexp(random() % 1000, -5);
  const Array a = array(values);
  const int threads = get_num_threads();
  for (const Shape& shape :
       {Shape{300000}, Shape{3, 100000}, Shape{100000, 3}, Shape{500, 600}}) {
    for (const AxisSet& axis : {AxisSet(), AxisSet(0)}) {
      set_num_threads(1);
      const Array one = sum(a.reshape(shape), axis);
      set_num_threads(3);
      EXPECT_THAT(sum(a.reshape(shape), axis), IsArray(one));
    }
  }
  set_num_threads(threads);
}

TEST_P(ReduceTest, EmptyAxesReduceNothing) {
  const Array a = array({{1, 2}, {3, 4}}, Dtype::kInt8);
  EXPECT_THAT(sum(a, {.axis = Axes()}), IsArray(a.astype(Dtype::kInt64)));
  EXPECT_THAT(max(a, {.axis = Axes()}), IsArray(a));
  EXPECT_THAT(sum(a), IsArray(array(10)));
}

TEST_P(ReduceTest, NothingToReduce) {
  const Array none = empty({0, 3}, Dtype::kFloat32);
  EXPECT_THAT(sum(none), IsArray(array(0.0f)));
  EXPECT_THAT(prod(none, {.axis = 0}), IsArray(array({1.f, 1.f, 1.f})));
  EXPECT_TRUE(std::isnan(mean(none).item<float>()));
  EXPECT_THAT(sum_of_squares(none), IsArray(array(0.0)));
  EXPECT_TRUE(all(none).item<bool>());
  EXPECT_FALSE(any(none).item<bool>());
  EXPECT_EQ(sum(none, {.axis = 1}).shape(), Shape({0}));
  EXPECT_EQ(max(none, {.axis = 1}).shape(), Shape({0}));
  EXPECT_EQ(argmax(none, 1).shape(), Shape({0}));
}

TEST_P(ReduceTest, NaNWins) {
  std::vector<float> values(3000, 1.0f);
  values[1234] = kNaN;
  values[2345] = kNaN;
  values[99] = kInf;
  const Array a = array(values);
  for (const Array& x : {a, a.reshape({30, 100})}) {
    EXPECT_TRUE(std::isnan(max(x).item<float>()));
    EXPECT_TRUE(std::isnan(min(x).item<float>()));
    EXPECT_TRUE(std::isnan(sum(x).item<float>()));
    EXPECT_EQ(argmax(x).item<int64_t>(), 1234);
    EXPECT_EQ(argmin(x).item<int64_t>(), 1234);
  }
  const Array columns = max(a.reshape({30, 100}), {.axis = 0});
  EXPECT_TRUE(std::isnan(columns[34].item<float>()));
  EXPECT_EQ(columns[99].item<float>(), kInf);
  EXPECT_EQ(argmax(a.reshape({30, 100}), 0)[34].item<int64_t>(), 12);
}

// In every element of a pack, in rows that start anywhere and in columns.
TEST_P(ReduceTest, FindsOneElementWhereverItIs) {
  constexpr int64_t kRows = 3;
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kFloat32, Dtype::kFloat64,
                            Dtype::kInt8, Dtype::kInt64}) {
    for (const int64_t columns : {131, 136, 1043}) {
      SCOPED_TRACE(to_string(dtype));
      for (const int64_t at : {int64_t{0}, int64_t{1}, int64_t{7}, int64_t{8},
                               columns / 2, columns - 9, columns - 1}) {
        Array a = zeros({kRows, columns}, dtype);
        a[{Slice(), at}].fill(1);
        EXPECT_THAT(argmax(a, 1), IsArray(full({kRows}, at)));
        EXPECT_THAT(argmax(a.T().copy(), 0), IsArray(full({kRows}, at)));
        EXPECT_EQ(argmax(a[2]).item<int64_t>(), at);
        EXPECT_EQ(argmin(a).item<int64_t>(), at == 0 ? 1 : 0);
        EXPECT_EQ(count_nonzero(a).item<int64_t>(), kRows);
      }
    }
  }
}

TEST_P(ReduceTest, ExtremesOfInfinities) {
  const Array low = full({40}, -kInf, Dtype::kFloat32);
  EXPECT_EQ(max(low).item<float>(), -kInf);
  EXPECT_EQ(argmax(low).item<int64_t>(), 0);
  EXPECT_EQ(argmin(full({2, 40}, kInf), 0)[39].item<int64_t>(), 0);
}

TEST_P(ReduceTest, TiesGoToTheFirst) {
  const Array a = array({{3, 1, 3}, {1, 3, 1}, {3, 3, 1}}, Dtype::kInt16);
  EXPECT_THAT(argmax(a, 0), IsArray(array({0, 1, 0})));
  EXPECT_THAT(argmax(a, 1), IsArray(array({0, 1, 0})));
  EXPECT_THAT(argmin(a, -1), IsArray(array({1, 0, 2})));
  EXPECT_EQ(argmin(a.T()).item<int64_t>(), 1);
  EXPECT_EQ(argmax(a[{Slice({}, {}, -1), ellipsis}], 0)[2].item<int64_t>(), 2);
}

TEST_P(ReduceTest, IntegersWrapRound) {
  const Array a = full({3}, uint64_t{1} << 63, Dtype::kUInt64);
  EXPECT_EQ(sum(a).item<uint64_t>(), uint64_t{1} << 63);
  EXPECT_THAT(sum(full({300}, 100, Dtype::kInt8), {.dtype = Dtype::kInt8}),
              IsArray(full({}, 48, Dtype::kInt8)));
  EXPECT_TRUE(
      sum(full({256}, 1, Dtype::kUInt8), {.dtype = Dtype::kBool}).item<bool>());
}

TEST_P(ReduceTest, DtypeIsThatOfTheSum) {
  const Array a = full({70000}, 1.0f, Dtype::kFloat16);
  EXPECT_EQ(sum(a).item<float>(), kInf);
  EXPECT_THAT(sum(a, {.dtype = Dtype::kFloat32}), IsArray(array(70000.0f)));
  EXPECT_THAT(mean(array({1, 2}), {.dtype = Dtype::kFloat32}),
              IsArray(array(1.5f)));
}

TEST_P(ReduceTest, WritesToOutputsOfAnyLayoutAndDtype) {
  const Array a = arange(1, 7).reshape({2, 3});
  for (const auto& [name, reduce] : kReductions) {
    for (const bool keepdims : {false, true}) {
      const Array expected = reduce(a, {.axis = 1, .keepdims = keepdims});
      const Array out = empty_like(expected);
      EXPECT_TRUE(
          reduce(a, {.axis = 1, .keepdims = keepdims, .out = out}).is_same(out))
          << name;
      EXPECT_THAT(out, IsArray(expected)) << name;
      const Array wide = zeros({2, 2}, Dtype::kFloat64);
      const Array column =
          keepdims ? wide[{Slice(), Slice(1, 2)}] : wide[{Slice(), 1}];
      reduce(a, {.axis = 1, .keepdims = keepdims, .out = column});
      EXPECT_THAT(column, IsArray(expected.astype(Dtype::kFloat64))) << name;
      EXPECT_THAT((wide[{Slice(), 0}]), IsArray(zeros({2}))) << name;
    }
  }
  const Array small = zeros({}, Dtype::kFloat64);
  sum(a, {.dtype = Dtype::kFloat32, .out = small});
  EXPECT_THAT(small, IsArray(array(21.0)));
  const Array none = zeros({0}, Dtype::kInt64);
  EXPECT_TRUE(sum(zeros({0, 3}, Dtype::kInt64), {.axis = 1, .out = none})
                  .is_same(none));
}

TEST_P(ReduceTest, AnOutputMayBePartOfTheInput) {
  for (const auto& [name, reduce] : kReductions) {
    const Array a = array({{3.0, 1.0, 2.0}, {5.0, 4.0, 0.0}});
    const Array expected = reduce(a, {.axis = 1});
    const Array column = a[{Slice(), 0}];
    reduce(a, {.axis = 1, .out = column});
    EXPECT_THAT(column, IsArray(expected.astype(Dtype::kFloat64))) << name;
  }
  const Array a = arange(3);
  sum(a.reshape({3, 1}), {.axis = 1, .out = a[{Slice({}, {}, -1)}]});
  EXPECT_THAT(a, IsArray(array({2, 1, 0})));
  const Array b = array({7, 9, 8});
  argmax(b, {.keepdims = true, .out = b[{Slice(0, 1)}]});
  EXPECT_THAT(b, IsArray(array({1, 9, 8})));
}

TEST_P(ReduceTest, ExtremesKeepTheirAxesWhenAsked) {
  const Array a = array({{3, 1, 2}, {5, 4, 6}});
  EXPECT_THAT(argmax(a, {.axis = 1, .keepdims = true}),
              IsArray(array({{0}, {2}})));
  EXPECT_THAT(argmin(a, {.axis = -2, .keepdims = true}),
              IsArray(array({{0, 0, 0}})));
  EXPECT_THAT(argmax(a, {.keepdims = true}), IsArray(array({{5}})));
  EXPECT_THAT(a.argmin({.keepdims = true}), IsArray(array({{1}})));
}

TEST_P(ReduceTest, ExtremesHaveTheIndexDtypeThatIsAskedFor) {
  const Array a = array({{3, 1, 2}, {5, 4, 6}});
  EXPECT_THAT(argmax(a, {.axis = 1, .dtype = Dtype::kInt32}),
              IsArray(array({0, 2}, Dtype::kInt32)));
  EXPECT_THAT(argmin(a, {.dtype = Dtype::kUInt8}),
              IsArray(array(1, Dtype::kUInt8)));
  const Array out = zeros({2}, Dtype::kInt16);
  argmin(a, {.axis = 1, .out = out});
  EXPECT_THAT(out, IsArray(array({1, 1}, Dtype::kInt16)));
  EXPECT_EQ(argmax(arange(128), {.dtype = Dtype::kInt8}).item<int>(), 127);
  EXPECT_EQ(argmax(arange(256), {.dtype = Dtype::kUInt8}).item<int>(), 255);
  EXPECT_THAT(error_of<DtypeError>(
                  [] { argmax(arange(129), {.dtype = Dtype::kInt8}); }),
              "argmax: int8 cannot hold the indices of 129 elements");
  EXPECT_THAT(
      error_of<DtypeError>([&] { argmin(a, {.dtype = Dtype::kFloat32}); }),
      "argmin: expected an integer dtype, got float32");
  EXPECT_THROW(argmin(a, {.dtype = Dtype::kBool}), DtypeError);
}

TEST_P(ReduceTest, OutputsThatDoNotFitAreRefusedBeforeAnythingIsWritten) {
  const Array a = ones({2, 3});
  const Array out = zeros({2});
  EXPECT_THAT(error_of<ShapeError>([&] { sum(a, {.out = out}); }),
              "sum: expected an output of shape (), got (2,)");
  EXPECT_THAT(error_of<ShapeError>(
                  [&] { max(a, {.axis = 1, .keepdims = true, .out = out}); }),
              "max: expected an output of shape (2, 1), got (2,)");
  EXPECT_THAT(error_of<DtypeError>([&] {
                mean(a, {.axis = 1, .out = zeros({2}, Dtype::kInt64)});
              }),
              "mean: cannot store float64 results in an array of int64");
  EXPECT_THROW(
      any(a, {.axis = 1, .out = zeros({2}, Dtype::kFloat64, native_device(1))}),
      DeviceError);
  EXPECT_THROW(all(a, {.axis = 1, .out = zeros({1}).broadcast_to({2})}),
               ValueError);
  EXPECT_THAT(error_of<DtypeError>([&] {
                argmax(a, {.axis = 0, .out = zeros({3}, Dtype::kBool)});
              }),
              "argmax: cannot store int64 results in an array of bool");
  EXPECT_THAT(out, IsArray(zeros({2})));
}

TEST(ReduceErrorTest, RefusesBadArguments) {
  const Array a = zeros({2, 3});
  EXPECT_THAT(error_of<IndexError>([&] { sum(a, {.axis = 2}); }),
              HasSubstr("sum"));
  EXPECT_THAT(error_of<ValueError>([&] {
                mean(a, {.axis = {0, -2}});
              }),
              HasSubstr("mean"));
  EXPECT_THAT(error_of<IndexError>([&] { argmax(a, -3); }),
              HasSubstr("argmax"));
  EXPECT_THAT(error_of<DtypeError>([&] { mean(a, {.dtype = Dtype::kInt32}); }),
              "mean: expected a floating dtype, got int32");
  EXPECT_THAT(error_of<DtypeError>([&] { max(a, {.dtype = Dtype::kInt32}); }),
              "max: expected no dtype, got int32");
  EXPECT_THROW(sum(Array()), ValueError);
}

TEST(ReduceErrorTest, RefusesExtremesOfNothing) {
  const Array a = zeros({0, 3});
  EXPECT_THAT(error_of<ValueError>([&] { max(a); }),
              "max: expected at least one element "
              "along axis 0, got shape (0, 3)");
  EXPECT_THAT(error_of<ValueError>([&] { min(a, {.axis = 0}); }),
              HasSubstr("min: expected at least"));
  EXPECT_THAT(error_of<ValueError>([&] { argmin(a, 0); }),
              HasSubstr("argmin: expected at least"));
  EXPECT_THAT(error_of<ValueError>([&] { argmax(a); }),
              "argmax: expected at least one element, got shape (0, 3)");
}

}  // namespace
}  // namespace catena::array
