#include "catena/array/indexing/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;
using ::testing::HasSubstr;
using xp::IndexMode;

class SelectTest : public catena::testing::DeviceTest {};

TEST_P(SelectTest, CompressKeepsTheSlicesWhereTheConditionHolds) {
  const Array a = xp::arange(6).reshape({2, 3});
  EXPECT_THAT(xp::compress(xp::array({true, false, true}), a, 1),
              IsArray(xp::array({{0, 2}, {3, 5}})));
  EXPECT_THAT(xp::compress(xp::array({0, 3}), a, 0),
              IsArray(xp::array({{3, 4, 5}})));
  EXPECT_THAT(xp::compress(xp::array({0, 1, 1}), a.T()),
              IsArray(xp::array({3, 1})));
  EXPECT_THAT(error_of<IndexError>([&] {
                xp::compress(xp::array({0, 0, 1}), a, 0);
              }),
              "compress: index 2 is out of range for axis 0 with extent 2");
  EXPECT_THROW(xp::compress(a, a), ShapeError);
}

TEST_P(SelectTest, ExtractAndPlaceAreInverse) {
  const Array a = xp::arange(6).reshape({2, 3});
  const Array mask = xp::equal(xp::remainder(a, 2), 0);
  EXPECT_THAT(xp::extract(mask, a), IsArray(xp::array({0, 2, 4})));
  xp::place(a, mask, xp::array({10.5, 20.5}));
  EXPECT_THAT(a, IsArray(xp::array({{10, 1, 20}, {3, 10, 5}})));
  xp::place(a.T(), mask.T(), xp::array({7, 8, 9}));
  EXPECT_THAT(a, IsArray(xp::array({{7, 1, 9}, {3, 8, 5}})));
  EXPECT_THAT(error_of<ValueError>([&] { xp::place(a, mask, xp::zeros({0})); }),
              "place: expected values for 3 elements, got none");
  EXPECT_THROW(xp::place(a, xp::array({true}), 1), ShapeError);
}

TEST_P(SelectTest, ChooseTakesFromTheChoiceThatTheIndexNames) {
  const Array index = xp::array({{0}, {2}});
  const Array ones = xp::array({1, 1}, Dtype::kInt8);
  const Array halves = xp::array({0.5, 0.25}, Dtype::kFloat32);
  EXPECT_THAT(xp::choose(index, {ones, halves, xp::array(7, Dtype::kInt8)}),
              IsArray(xp::array({{1, 1}, {7, 7}}, Dtype::kFloat32)));
  EXPECT_THAT(xp::choose(xp::array({true, false}), {ones, halves}),
              IsArray(xp::array({0.5, 1.}, Dtype::kFloat32)));
  const Array odd = xp::array({-1, 3});
  EXPECT_THAT(xp::choose(odd, {ones, halves}, {.mode = IndexMode::kWrap}),
              IsArray(xp::array({0.5, 0.25}, Dtype::kFloat32)));
  EXPECT_THAT(xp::choose(odd, {ones, halves}, {.mode = IndexMode::kClip}),
              IsArray(xp::array({1., 0.25}, Dtype::kFloat32)));
  EXPECT_THAT(error_of<IndexError>([&] {
                (xp::choose(xp::array({1, -1}), {ones, halves}));
                synchronize(device());
              }),
              HasSubstr("choose: index -1 is out of range for 2 choices"));
  EXPECT_THROW(xp::choose(odd, std::initializer_list<Array>{}), ValueError);
  EXPECT_THROW((xp::choose(halves, {ones})), DtypeError);
}

TEST_P(SelectTest, TheFirstConditionThatHoldsSelects) {
  const Array x = xp::arange(6);
  const Array result =
      xp::select({xp::less(x, 2), xp::less(x, 4)}, {x, xp::multiply(x, 10)});
  EXPECT_THAT(result, IsArray(xp::array({0, 1, 20, 30, 0, 0})));
  EXPECT_THAT(xp::select({xp::array(true)}, {xp::array(1)}, xp::zeros({2})),
              IsArray(xp::array({1., 1.})));
  EXPECT_THAT(error_of<DtypeError>([&] { (xp::select({x}, {x})); }),
              HasSubstr("got int64 for condition 0"));
  EXPECT_THROW((xp::select({xp::array(true)}, {x, x})), ValueError);
}

INSTANTIATE_TEST_SUITE_P(All, SelectTest, catena::testing::every_device(),
                         catena::testing::device_name);

class SelectGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(SelectGoldenTest, SelectsAsNumpyDoes) {
  const std::string op = golden().attr<std::string>("op");
  const Array first = array("in0");
  Array result;
  if (op == "compress") {
    result = xp::compress(first, array("in1"), golden().attr<int64_t>("axis"));
  } else if (op == "extract") {
    result = xp::extract(first, array("in1"));
  } else if (op == "where") {
    result = xp::where(first, array("in1"), array("in2"));
  } else if (op == "clip") {
    result = xp::clip(first, golden().attr<double>("a_min"),
                      golden().attr<double>("a_max"));
  } else if (op == "count_nonzero") {
    result = xp::count_nonzero(first, {.axis = golden().attr<Shape>("axis")});
  } else {
    const std::string mode = golden().attr_or<std::string>("mode", "raise");
    result = xp::choose(first, {array("in1"), array("in2"), array("in3")},
                        {.mode = mode == "wrap"   ? IndexMode::kWrap
                                 : mode == "clip" ? IndexMode::kClip
                                                  : IndexMode::kRaise});
  }
  EXPECT_THAT(result, IsArray(golden().array("out0")));
}

INSTANTIATE_TEST_SUITE_P(Numpy, SelectGoldenTest,
                         catena::testing::every_device_and_case(
                             "array/selection",
                             [](const catena::testing::GoldenCase& golden) {
                               const std::string op =
                                   golden.attr<std::string>("op");
                               return op == "compress" || op == "extract" ||
                                      op == "choose" || op == "clip" ||
                                      op == "count_nonzero" ||
                                      (op == "where" && golden.has("in2"));
                             }),
                         catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
