#include "catena/array/creation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::GoldenCase;
using catena::testing::IsArray;
using ::testing::HasSubstr;

class FilledTest : public catena::testing::DeviceDtypeTest {};

TEST_P(FilledTest, HoldsItsNumberEverywhere) {
  for (const Array& a : {xp::zeros({2, 3}, dtype()), xp::ones({2, 3}, dtype()),
                         xp::full({2, 3}, 1, dtype())}) {
    EXPECT_EQ(a.dtype(), dtype());
    EXPECT_EQ(a.shape(), Shape({2, 3}));
    EXPECT_EQ(a.device(), device());
    EXPECT_TRUE(a.is_contiguous());
  }
  EXPECT_EQ((xp::zeros({2, 3}, dtype())[{1, 2}].item<double>()), 0);
  EXPECT_EQ((xp::ones({2, 3}, dtype())[{1, 2}].item<double>()), 1);
  EXPECT_EQ(xp::full({}, 1, dtype()).item<double>(), 1);
  EXPECT_EQ(xp::zeros({0, 3}, dtype()).size(), 0);
}

TEST_P(FilledTest, LikesTakeShapeAndDtypeOfTheirModel) {
  const Array model = xp::ones({2, 3}, dtype()).T();
  EXPECT_THAT(xp::zeros_like(model), IsArray(xp::zeros({3, 2}, dtype())));
  EXPECT_THAT(xp::ones_like(model), IsArray(xp::ones({3, 2}, dtype())));
  EXPECT_THAT(xp::full_like(model, 1), IsArray(xp::ones({3, 2}, dtype())));
  EXPECT_EQ(xp::zeros_like(model, Dtype::kInt16).dtype(), Dtype::kInt16);
  EXPECT_EQ(xp::ones_like(model).device(), device());
}

INSTANTIATE_TEST_SUITE_P(All, FilledTest,
                         catena::testing::every_device_and_dtype(),
                         catena::testing::device_dtype_name);

class CreationTest : public catena::testing::DeviceTest {};

TEST_P(CreationTest, DtypeOfFullIsTheNumbersOwn) {
  EXPECT_EQ(xp::full({1}, 2).dtype(), Dtype::kInt64);
  EXPECT_EQ(xp::full({1}, 2.5).dtype(), Dtype::kFloat64);
  EXPECT_EQ(xp::full({1}, true).dtype(), Dtype::kBool);
  EXPECT_EQ(xp::zeros({1}).dtype(), Dtype::kFloat64);
}

TEST_P(CreationTest, FullRefusesNumbersTheDtypeCannotHold) {
  EXPECT_THROW(xp::full({1}, -1, Dtype::kUInt8), DtypeError);
  EXPECT_THROW(xp::full({1}, std::nan(""), Dtype::kInt32), DtypeError);
  EXPECT_THROW(xp::full({-1}, 1), ShapeError);
}

TEST_P(CreationTest, ArangeOfIntegersIsInt64) {
  EXPECT_THAT(xp::arange(4), IsArray(xp::array({0, 1, 2, 3})));
  EXPECT_THAT(xp::arange(2, 9, 3), IsArray(xp::array({2, 5, 8})));
  EXPECT_THAT(xp::arange(5, 0, -2), IsArray(xp::array({5, 3, 1})));
  EXPECT_THAT(xp::arange(3, Dtype::kUInt8),
              IsArray(xp::array({0, 1, 2}, Dtype::kUInt8)));
  EXPECT_EQ(xp::arange(3, 3).size(), 0);
  EXPECT_EQ(xp::arange(5, 2).size(), 0);
  EXPECT_EQ(xp::arange(-3).size(), 0);
  EXPECT_EQ(xp::arange(2, 5, -1).size(), 0);
}

TEST_P(CreationTest, ArangeWithAFloatIsFloat64) {
  EXPECT_THAT(xp::arange(3.0), IsArray(xp::array({0.0, 1.0, 2.0})));
  EXPECT_THAT(xp::arange(0, 1, 0.25),
              IsArray(xp::array({0.0, 0.25, 0.5, 0.75})));
  // The length is rounded up, even where rounding puts the last value on stop.
  EXPECT_EQ(xp::arange(0, 1.3, 0.1).size(), 13);
  EXPECT_EQ(xp::arange(1, 1.3, 0.1).size(), 4);
}

TEST_P(CreationTest, ArangeReachesTheEndsOfTheIntegers) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_THAT(xp::arange(kMax - 2, kMax),
              IsArray(xp::array({kMax - 2, kMax - 1})));
  EXPECT_THAT(xp::arange(kMin, kMax, kMax),
              IsArray(xp::array({kMin, int64_t{-1}, kMax - 1})));
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  EXPECT_THAT(xp::arange(kHalf, kHalf + 2, 1, Dtype::kUInt64),
              IsArray(xp::array({kHalf, kHalf + 1})));
}

TEST_P(CreationTest, BadRangesAreRefused) {
  EXPECT_THAT(error_of<ValueError>([] { xp::arange(0, 5, 0); }),
              "arange: expected a step other than 0 from 0 to 5");
  EXPECT_THROW(xp::arange(0, 5, 0.0), ValueError);
  EXPECT_THROW(xp::arange(0, HUGE_VAL), ValueError);
  EXPECT_THROW(xp::arange(std::nan("")), ValueError);
  EXPECT_THROW(xp::arange(0, 1, 1e-300), ShapeError);
  EXPECT_THROW(xp::arange(std::numeric_limits<int64_t>::max()), ShapeError);
  EXPECT_THROW(xp::arange(int64_t{1} << 58, Dtype::kInt8), DtypeError);
  EXPECT_THROW(xp::arange(int64_t{1} << 58), OutOfMemoryError);
  EXPECT_THAT(error_of<DtypeError>([] { xp::arange(300, Dtype::kInt8); }),
              "arange: expected a number that int8 can hold, got 299");
  EXPECT_THROW(xp::arange(-2, 2, 1, Dtype::kUInt8), DtypeError);
  EXPECT_THROW(xp::arange(3, Dtype::kBool), DtypeError);
}

TEST_P(CreationTest, LinspaceEndsWhereItShould) {
  EXPECT_THAT(xp::linspace(0, 1, 5),
              IsArray(xp::array({0.0, 0.25, 0.5, 0.75, 1.0})));
  EXPECT_THAT(xp::linspace(0, 1, 4, {.endpoint = false}),
              IsArray(xp::array({0.0, 0.25, 0.5, 0.75})));
  EXPECT_EQ(xp::linspace(0, 1).size(), 50);
  EXPECT_EQ(xp::linspace(0.1, 0.7, 4)[-1].item<double>(), 0.7);
  EXPECT_THAT(xp::linspace(-1.5, 1.5, 4, {.dtype = Dtype::kInt32}),
              IsArray(xp::array({-2, -1, 0, 1}, Dtype::kInt32)));
  EXPECT_THAT(error_of<ValueError>([] { xp::linspace(0, 1, -1); }),
              "linspace: expected num of at least 0, got -1");
}

TEST_P(CreationTest, LinspaceGivesItsStepWhenAsked) {
  const auto closed = xp::linspace_with_step(1, 3, 5);
  EXPECT_THAT(closed.samples, IsArray(xp::linspace(1, 3, 5)));
  EXPECT_EQ(closed.step, 0.5);
  EXPECT_EQ(xp::linspace_with_step(0, 1, 4, {.endpoint = false}).step, 0.25);
  const auto integers =
      xp::linspace_with_step(0, 5, 3, {.dtype = Dtype::kInt32});
  EXPECT_THAT(integers.samples, IsArray(xp::array({0, 2, 5}, Dtype::kInt32)));
  EXPECT_EQ(integers.step, 2.5);
  EXPECT_TRUE(std::isnan(xp::linspace_with_step(0, 1, 1).step));
  EXPECT_TRUE(std::isnan(xp::linspace_with_step(0, 1, 0).step));
}

TEST_P(CreationTest, EyeHasOneDiagonal) {
  EXPECT_THAT(xp::eye(2), IsArray(xp::array({{1.0, 0.0}, {0.0, 1.0}})));
  EXPECT_THAT(xp::eye(2, 3, {.k = 1, .dtype = Dtype::kInt64}),
              IsArray(xp::array({{0, 1, 0}, {0, 0, 1}})));
  EXPECT_THAT(xp::eye(3, 2, {.k = -1, .dtype = Dtype::kInt64}),
              IsArray(xp::array({{0, 0}, {1, 0}, {0, 1}})));
  for (const int64_t k :
       {int64_t{2}, int64_t{-2}, std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()}) {
    EXPECT_THAT(xp::eye(2, 2, {.k = k}), IsArray(xp::zeros({2, 2})));
  }
  EXPECT_EQ(xp::eye(0).shape(), Shape({0, 0}));
  EXPECT_THAT(xp::identity(2, Dtype::kBool),
              IsArray(xp::array({{true, false}, {false, true}})));
  EXPECT_THROW(xp::eye(-1), ShapeError);
}

TEST_P(CreationTest, BracesNestToAnyDepth) {
  EXPECT_EQ(xp::array(5).shape(), Shape());
  EXPECT_EQ(xp::array({1, 2}).shape(), Shape({2}));
  EXPECT_EQ(xp::array({{1}, {2}}).shape(), Shape({2, 1}));
  EXPECT_EQ(xp::array({{{1, 2, 3}}, {{4, 5, 6}}}).shape(), Shape({2, 1, 3}));
  const Array deep = xp::array({{{{1, 2}}, {{3, 4}}}});
  EXPECT_EQ(deep.shape(), Shape({1, 2, 1, 2}));
  EXPECT_THAT(deep.ravel(), IsArray(xp::arange(1, 5)));
  EXPECT_EQ(xp::array({}).shape(), Shape({0}));
  EXPECT_EQ(xp::array({}).dtype(), Dtype::kFloat64);
  EXPECT_EQ(xp::array({{}, {}}).shape(), Shape({2, 0}));
}

TEST_P(CreationTest, BracesTakeTheDtypeTheirNumbersPromoteTo) {
  EXPECT_EQ(xp::array({1, 2}).dtype(), Dtype::kInt64);
  EXPECT_EQ(xp::array({1.0f}).dtype(), Dtype::kFloat32);
  EXPECT_EQ(xp::array({1, 2.5}).dtype(), Dtype::kFloat64);
  EXPECT_EQ(xp::array({true, false}).dtype(), Dtype::kBool);
  EXPECT_EQ(xp::array({true, 2}).dtype(), Dtype::kInt64);
  EXPECT_EQ(xp::array({float16(1.0f)}).dtype(), Dtype::kFloat16);
  EXPECT_EQ(xp::array({uint8_t{1}}).dtype(), Dtype::kUInt8);
  EXPECT_EQ(xp::array({1, 2}, Dtype::kFloat16).dtype(), Dtype::kFloat16);
  EXPECT_EQ(xp::array({1, 2}).device(), device());
}

TEST_P(CreationTest, NdminPutsAxesInFront) {
  EXPECT_THAT(xp::array({1, 2}, {.ndmin = 3}), IsArray(xp::array({{{1, 2}}})));
  EXPECT_THAT(xp::array({{1, 2}}, {.dtype = Dtype::kInt8, .ndmin = 1}),
              IsArray(xp::array({{1, 2}}, Dtype::kInt8)));
  EXPECT_THAT(xp::array(5, {.ndmin = 1}), IsArray(xp::array({5})));
  EXPECT_EQ(xp::array(xp::zeros({0, 2}), {.ndmin = 4}).shape(),
            Shape({1, 1, 0, 2}));
  EXPECT_THAT(error_of<ShapeError>([] { xp::array({1}, {.ndmin = -1}); }),
              ::testing::HasSubstr("got -1"));
  EXPECT_THROW(xp::array({1}, {.ndmin = kMaxDims + 1}), ShapeError);
}

TEST_P(CreationTest, AnArrayIsCopiedUnlessToldOtherwise) {
  const Array a = xp::arange(6).reshape({2, 3});
  const Array copy = xp::array(a.T());
  EXPECT_THAT(copy, IsArray(a.T()));
  EXPECT_NE(copy.storage(), a.storage());
  EXPECT_TRUE(xp::array(a, {.copy = false}).is_same(a));
  EXPECT_TRUE(xp::array(a, {.dtype = Dtype::kInt64, .copy = false}).is_same(a));
  const Array view = xp::array(a, {.copy = false, .ndmin = 3});
  EXPECT_EQ(view.storage(), a.storage());
  EXPECT_EQ(view.shape(), Shape({1, 2, 3}));
  const Array cast = xp::array(a, {.dtype = Dtype::kFloat32, .copy = false});
  EXPECT_THAT(cast, IsArray(a.astype(Dtype::kFloat32)));
  const Array there = xp::array(a[0], {.device = native_device(1)});
  EXPECT_EQ(there.device(), native_device(1));
  EXPECT_EQ(there.to_vector<int>(), (std::vector<int>{0, 1, 2}));
}

TEST_P(CreationTest, RaggedBracesAreRefused) {
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::array({{1, 2}, {3}});
              }),
              "array: expected every list at depth 1 "
              "to have length 2 like the first, got "
              "one of length 1");
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::array({{1, 2}, 3});
              }),
              HasSubstr("got a number"));
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::array({1, {2}});
              }),
              HasSubstr("got a list"));
  EXPECT_THROW(xp::array({{{1}}, {{1, 2}}}), ShapeError);
  EXPECT_THROW(xp::array({300}, Dtype::kUInt8), DtypeError);
  EXPECT_THROW(xp::array({{{{{{{{{1}}}}}}}}}), ShapeError);
}

TEST_P(CreationTest, RangesAreCopied) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const Array a = xp::array(values);
  const Array b = xp::array(values, {{2, 3}});
  values.assign(6, 0);
  EXPECT_THAT(a, IsArray(xp::array({1, 2, 3, 4, 5, 6}, Dtype::kFloat32)));
  EXPECT_THAT(b, IsArray(a.reshape({2, 3})));
  EXPECT_EQ(xp::array(std::array<int32_t, 2>{1, 2}).dtype(), Dtype::kInt32);
  EXPECT_EQ(xp::array(std::vector<double>()).shape(), Shape({0}));
  EXPECT_THAT(error_of<ShapeError>([&] {
                xp::array(values, {{4, 2}});
              }),
              "array: expected as many values as "
              "shape (4, 2) has elements, got 6");
}

TEST_P(CreationTest, CopyFromReadsMemoryInCOrder) {
  const int16_t values[] = {1, 2, 3, 4};
  EXPECT_THAT(xp::copy_from(values, {2, 2}, Dtype::kInt16),
              IsArray(xp::array({{1, 2}, {3, 4}}, Dtype::kInt16)));
  EXPECT_EQ(xp::copy_from(nullptr, {0, 2}, Dtype::kInt16).size(), 0);
  EXPECT_THROW(xp::copy_from(nullptr, {2}, Dtype::kInt16), ValueError);
}

TEST_P(CreationTest, AsarrayChangesOnlyWhatIsAskedFor) {
  const Array a = xp::arange(3);
  EXPECT_TRUE(xp::asarray(a).is_same(a));
  EXPECT_TRUE(xp::asarray(a, Dtype::kInt64, device()).is_same(a));
  EXPECT_EQ(xp::asarray(a, Dtype::kFloat32).dtype(), Dtype::kFloat32);
  EXPECT_EQ(xp::asarray(a, std::nullopt, native_device(1)).device(),
            native_device(1));
  EXPECT_THAT(xp::asarray(2.5), IsArray(xp::array(2.5)));
  EXPECT_THAT(xp::asarray(2, Dtype::kInt8),
              IsArray(xp::full({}, 2, Dtype::kInt8)));
}

TEST_P(CreationTest, AscontiguousarrayHasAnAxisAndCOrder) {
  const Array a = xp::arange(6).reshape({2, 3});
  EXPECT_TRUE(xp::ascontiguousarray(a).is_same(a));
  EXPECT_TRUE(xp::ascontiguousarray(a.T()).is_contiguous());
  EXPECT_EQ(xp::ascontiguousarray(1.5).shape(), Shape({1}));
}

INSTANTIATE_TEST_SUITE_P(All, CreationTest, catena::testing::every_device(),
                         catena::testing::device_name);

class CreationGoldenTest : public catena::testing::GoldenDeviceTest {};

std::optional<Dtype> dtype_of_case(const GoldenCase& golden) {
  if (!golden.has_attr("dtype")) return std::nullopt;
  return dtype_from_name(golden.attr<std::string>("dtype"));
}

Scalar number(const Array& numbers, int64_t i) {
  return numbers.size() > i ? numbers.ravel()[i].item_as_scalar() : Scalar(1);
}

Array create(const GoldenCase& golden) {
  const auto op = golden.attr<std::string>("op");
  const std::optional<Dtype> dtype = dtype_of_case(golden);
  if (op == "arange") {
    const Array args = golden.attr<Array>("args");
    return args.size() == 1 ? xp::arange(number(args, 0), dtype)
                            : xp::arange(number(args, 0), number(args, 1),
                                         number(args, 2), dtype);
  }
  if (op == "linspace") {
    return xp::linspace(golden.attr<double>("start"),
                        golden.attr<double>("stop"),
                        golden.attr<int64_t>("num"),
                        {.endpoint = golden.attr_or<bool>("endpoint", true),
                         .dtype = dtype.value_or(Dtype::kFloat64)});
  }
  if (op == "eye") {
    return xp::eye(golden.attr<int64_t>("N"), golden.attr<int64_t>("M"),
                   {.k = golden.attr<int64_t>("k")});
  }
  if (op == "identity") {
    return xp::identity(golden.attr<int64_t>("n"), *dtype);
  }
  return xp::full(golden.attr<Shape>("shape"),
                  golden.attr<Array>("fill_value").item_as_scalar(), dtype);
}

bool is_offered(const GoldenCase& golden) {
  const auto op = golden.attr<std::string>("op");
  return op == "arange" || op == "linspace" || op == "eye" ||
         op == "identity" || op == "full";
}

TEST_P(CreationGoldenTest, GivesNumpysNumbersToTheBit) {
  EXPECT_THAT(create(golden()), IsArray(golden().array("out0")));
}

INSTANTIATE_TEST_SUITE_P(
    Numpy, CreationGoldenTest,
    catena::testing::every_device_and_case("array/creation", is_offered),
    catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
