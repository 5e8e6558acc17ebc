#include "catena/array/statistics/averages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;

class VarGolden : public testing::GoldenDeviceTest {};

bool is_variance(const testing::GoldenCase& golden) {
  const std::string op = golden.attr<std::string>("op");
  return op == "var" || op == "std";
}

TEST_P(VarGolden, AgreesWithNumPy) {
  VarOptions options;
  if (golden().has_attr("axis")) options.axis = golden().attr<Shape>("axis");
  options.keepdims = golden().attr_or<bool>("keepdims", false);
  options.ddof = golden().attr_or<int64_t>("ddof", 0);
  const Array a = array("in0");
  EXPECT_THAT(golden().attr<std::string>("op") == "var" ? var(a, options)
                                                        : std(a, options),
              golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(All, VarGolden,
                         testing::every_device_and_case("array/reductions",
                                                        is_variance),
                         testing::golden_device_name);

// The definition, in double and two passes.
Array by_definition(const Array& a, const AxisSet& axis = {}) {
  const Array wide = a.astype(Dtype::kFloat64);
  const Array center = mean(wide, {.axis = axis, .keepdims = true});
  return mean(square(subtract(wide, center)), axis);
}

class VarDtypeTest : public testing::DeviceDtypeTest {};

TEST_P(VarDtypeTest, AgreesWithTheDefinitionInEveryLayout) {
  random::seed(5);
  // Tails of registers, leaves and tiles; few and many rows.
  const Shape shapes[] = {{1},       {7},        {33},       {2049},
                          {300001},  {3, 5},     {5, 3},     {100, 17},
                          {17, 100}, {33, 2100}, {2100, 33}, {70, 1030},
                          {6, 5, 4}, {40000, 3}, {3, 40000}, {2, 70, 300}};
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(to_string(shape));
    const Array a =
        multiply(random::uniform(0, 100, shape), 1.0).astype(dtype());
    const auto check = [&](const Array& x) {
      const bool is_half = item_size(dtype()) == 2 && is_floating(dtype());
      const bool is_float = is_floating(dtype()) && !is_half;
      const testing::Tolerance tolerance =
          is_half ? testing::Tolerance{1e-2, 1e-3}
          : is_float && dtype() == Dtype::kFloat32
              ? testing::Tolerance{1e-5, 1e-6}
              : testing::Tolerance{1e-12, 1e-12};
      for (int axis = 0; axis < x.ndim(); ++axis) {
        EXPECT_THAT(var(x, {.axis = axis}).astype(Dtype::kFloat64),
                    IsClose(by_definition(x, Axes{axis}), tolerance));
      }
      EXPECT_THAT(var(x).astype(Dtype::kFloat64),
                  IsClose(by_definition(x), tolerance));
    };
    check(a);
    check(a.T());
    check(a[{Slice({}, {}, -1)}]);
    check(a[{Slice({}, {}, 2)}]);
  }
}

TEST_P(VarDtypeTest, DtypesFollowNumPy) {
  const Array a = ones({3}, dtype());
  EXPECT_EQ(var(a).dtype(), is_floating(dtype()) ? dtype() : Dtype::kFloat64);
  EXPECT_EQ(std(a, {.dtype = Dtype::kFloat32}).dtype(), Dtype::kFloat32);
  EXPECT_THAT(var(a).astype(Dtype::kFloat64), IsArray(zeros({})));
}

INSTANTIATE_TEST_SUITE_P(All, VarDtypeTest, testing::every_device_and_dtype(),
                         testing::device_dtype_name);

class AveragesTest : public testing::DeviceTest {};

TEST_P(AveragesTest, VarIsExactBesideALargeMean) {
  // mean(a^2) - mean(a)^2 would be 0 or worse. Means of parts, which depend on
  // the device, are rounded to 1e-7.
  const Array a = add(remainder(arange(100000), 2), 1e9);
  EXPECT_THAT(var(a), IsClose(array(0.25), {.rtol = 1e-9}));
  const Array floats =
      add(remainder(arange(100000), 2), 1e6).astype(Dtype::kFloat32);
  EXPECT_THAT(var(floats), IsClose(full({}, 0.25, Dtype::kFloat32)));
  const Array columns = floats.reshape({1000, 100});
  EXPECT_THAT(var(columns.copy(), {.axis = 0}),
              IsArray(zeros({100}, Dtype::kFloat32)));
  EXPECT_THAT(var(columns, {.axis = 1}),
              IsClose(full({1000}, 0.25, Dtype::kFloat32)));
}

TEST_P(AveragesTest, VarDividesByNMinusDdof) {
  const Array a = array({1.0, 2.0, 3.0, 4.0});
  EXPECT_THAT(var(a), IsClose(array(1.25)));
  EXPECT_THAT(var(a, {.ddof = 1}), IsClose(array(5.0 / 3)));
  EXPECT_THAT(std(a, {.ddof = 1}), IsClose(array(std::sqrt(5.0 / 3))));
  EXPECT_TRUE(std::isinf(var(a, {.ddof = 4}).item<double>()));
  EXPECT_TRUE(std::isinf(var(a, {.ddof = 7}).item<double>()));
  EXPECT_TRUE(std::isnan(var(array({1.0}), {.ddof = 1}).item<double>()));
}

TEST_P(AveragesTest, VarOfNothingAndOfNaNIsNaN) {
  EXPECT_TRUE(std::isnan(var(zeros({0})).item<double>()));
  EXPECT_THAT(var(zeros({0, 2}), {.axis = 1}).shape(), Shape({0}));
  EXPECT_TRUE(std::isnan(std(array({1.0, std::nan("")})).item<double>()));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(var(array({1.0, inf})).item<double>()));
  EXPECT_THAT(var(array(3.0)), IsArray(array(0.0)));
  EXPECT_THAT(var(array({3.0, 4.0}), {.axis = Axes()}), IsArray(zeros({2})));
}

TEST_P(AveragesTest, TheDtypeOptionIsComputedIn) {
  // 60000^2 is no float16, its root is.
  const Array a = array({-60000.0, 60000.0}).astype(Dtype::kFloat16);
  EXPECT_TRUE(std::isinf(var(a).astype(Dtype::kFloat64).item<double>()));
  EXPECT_THAT(var(a, {.dtype = Dtype::kFloat64}),
              IsClose(array(60000.0 * 60000.0), {.rtol = 1e-2}));
  EXPECT_THAT(error_of<DtypeError>([&] { var(a, {.dtype = Dtype::kInt32}); }),
              "var: expected a floating dtype, got int32");
  EXPECT_THAT(error_of<IndexError>([&] { std(a, {.axis = 1}); }),
              HasSubstr("std"));
}

TEST_P(AveragesTest, WritesToItsOutput) {
  const Array a = array({{1.0, 3.0}, {2.0, 8.0}});
  const Array out = zeros({2}, Dtype::kFloat32);
  EXPECT_TRUE(var(a, {.axis = 1, .out = out}).is_same(out));
  EXPECT_THAT(out, IsArray(array({1.0f, 9.0f})));
  // Part of the input.
  std(a, {.axis = 1, .keepdims = true, .out = a[{Slice(), Slice(1, 2)}]});
  EXPECT_THAT(a, IsArray(array({{1.0, 1.0}, {2.0, 3.0}})));
  EXPECT_THAT(error_of<ShapeError>([&] { std(a, {.out = out}); }),
              "std: expected an output of shape (), got (2,)");
  EXPECT_THAT(error_of<DtypeError>([&] {
                var(a, {.axis = 0, .out = zeros({2}, Dtype::kInt32)});
              }),
              "var: cannot store float64 results in an array of int32");
}

TEST_P(AveragesTest, AverageWeighsElements) {
  const Array a = array({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Array w = array({3.0, 1.0, 0.0});
  EXPECT_THAT(average(a), IsArray(array(3.5)));
  EXPECT_THAT(average(a, {.axis = 1, .weights = w}),
              IsArray(array({1.25, 4.25})));
  EXPECT_THAT(
      average(a, {.weights = array({{0.0, 0.0, 1.0}, {0.0, 0.0, 3.0}})}),
      IsArray(array(5.25)));
  EXPECT_THAT(average(array({1, 2}), {.weights = array({1, 3})}),
              IsArray(array(1.75)));
  EXPECT_EQ(average(a.astype(Dtype::kFloat32),
                    {.axis = 1, .weights = w.astype(Dtype::kFloat32)})
                .dtype(),
            Dtype::kFloat32);
}

TEST_P(AveragesTest, WeightsThatDoNotFitAreRefused) {
  const Array a = ones({2, 3});
  EXPECT_THAT(error_of<ShapeError>(
                  [&] { average(a, {.axis = 0, .weights = ones({3})}); }),
              HasSubstr("(2, 3) and (3,)"));
  EXPECT_THAT(error_of<ShapeError>([&] { average(a, {.weights = ones({3})}); }),
              HasSubstr("average"));
  EXPECT_THAT(error_of<ValueError>([&] {
                average(a, {.weights = zeros({2, 3})});
              }),
              HasSubstr("got a sum of 0"));
  EXPECT_THAT(error_of<IndexError>([&] { average(a, {.axis = 2}); }),
              HasSubstr("average"));
}

INSTANTIATE_TEST_SUITE_P(All, AveragesTest, testing::every_device(),
                         testing::device_name);

TEST(VarThreadsTest, DoesNotDependOnThreads) {
  random::seed(9);
  const int threads = get_num_threads();
  for (const Shape& shape : {Shape{1000003}, Shape{3000, 301}}) {
    const Array a = random::normal(10, 1, shape, Dtype::kFloat32);
    const Array expected = var(a, {.axis = 0});
    set_num_threads(threads == 1 ? 3 : 1);
    const Array other = var(a, {.axis = 0});
    set_num_threads(threads);
    EXPECT_THAT(other, IsArray(expected));
  }
}

TEST(VarTargetsTest, EveryInstructionSetAgrees) {
  random::seed(9);
  const Array a = random::normal(10, 1, {700, 1031}, Dtype::kFloat32);
  const Array by_rows = by_definition(a, Axes{1}).astype(Dtype::kFloat32);
  const Array by_columns = by_definition(a, Axes{0}).astype(Dtype::kFloat32);
  const KernelTarget best = cpu_kernel_target();
  for (int i = 0; i <= static_cast<int>(best); ++i) {
    set_cpu_kernel_target(static_cast<KernelTarget>(i));
    EXPECT_THAT(var(a, {.axis = 1}), IsClose(by_rows));
    EXPECT_THAT(var(a, {.axis = 0}), IsClose(by_columns));
  }
  set_cpu_kernel_target(best);
}

}  // namespace
}  // namespace catena::array
