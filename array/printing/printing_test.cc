#include "catena/array/printing/printing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using testing::golden_case;
using testing::golden_case_name;
using testing::golden_cases;
using testing::GoldenCase;

PrintOptions options_of(const GoldenCase& golden) {
  PrintOptions options;
  options.precision = golden.attr_or("precision", options.precision);
  options.threshold = golden.attr_or("threshold", options.threshold);
  options.edgeitems = golden.attr_or("edgeitems", options.edgeitems);
  options.linewidth = golden.attr_or("linewidth", options.linewidth);
  options.suppress = golden.attr_or("suppress", options.suppress);
  const std::string mode = golden.attr_or<std::string>("floatmode", "maxprec");
  options.floatmode = mode == "fixed"           ? FloatMode::kFixed
                      : mode == "unique"        ? FloatMode::kUnique
                      : mode == "maxprec_equal" ? FloatMode::kMaxprecEqual
                                                : FloatMode::kMaxprec;
  const std::string sign = golden.attr_or<std::string>("sign", "-");
  options.sign = sign == "+"   ? PrintSign::kPlus
                 : sign == " " ? PrintSign::kSpace
                               : PrintSign::kMinus;
  return options;
}

class PrintingGolden : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(PrintingGolden, AgreesWithNumPyByteForByte) {
  const Array a = GetParam().array("in0");
  EXPECT_EQ(array_repr(a, options_of(GetParam())), GetParam().text("repr"));
  EXPECT_EQ(array_str(a, options_of(GetParam())), GetParam().text("str"));
}

INSTANTIATE_TEST_SUITE_P(NumPy, PrintingGolden,
                         ::testing::ValuesIn(golden_cases("array/printing")),
                         golden_case_name);

class PrintingDeviceTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, PrintingDeviceTest, testing::every_device(),
                         testing::device_name);

TEST_P(PrintingDeviceTest, ShowsAnArrayWhereverItIs) {
  const Array a = array({{1.5, -2.0}, {3.0, 0.25}});
  EXPECT_EQ(array_repr(a), "array([[ 1.5 , -2.  ],\n       [ 3.  ,  0.25]])");
  EXPECT_EQ(array_str(a.T()), "[[ 1.5   3.  ]\n [-2.    0.25]]");
}

Array bfloats() {
  Array a = empty({2}, Dtype::kBFloat16);
  a.data<bfloat16>()[0] = bfloat16(0.1f);
  a.data<bfloat16>()[1] = bfloat16(-3.0f);
  return a;
}

TEST(PrintingTest, ShowsBFloat16InItsOwnDigits) {
  EXPECT_EQ(array_repr(bfloats()), "array([ 0.1, -3. ], dtype=bfloat16)");
}

TEST(PrintingTest, FollowsTheStridesOfAView) {
  const Array a = golden_case("array/printing", "int64_2d").array("in0");
  EXPECT_EQ(array_str(a.transpose()), array_str(a.transpose().copy()));
  EXPECT_NE(array_str(a.transpose()), array_str(a));
}

TEST(PrintingTest, PrintsArraysOfOtherDevices) {
  const Array a = bfloats().to_device(native_device(1));
  EXPECT_EQ(array_str(a), "[ 0.1 -3. ]");
}

TEST(PrintingTest, StreamsAsStr) {
  std::ostringstream os;
  os << bfloats() << Array();
  EXPECT_EQ(os.str(), "[ 0.1 -3. ]<undefined>");
}

TEST(PrintingTest, RefusesOptionsOutOfRange) {
  EXPECT_THAT(
      error_of<ValueError>([] { array_repr(bfloats(), {.precision = -1}); }),
      "array_repr: expected a precision from 0 to 4096 and "
      "edgeitems of at least 1, got -1 and 3");
  EXPECT_THAT(
      error_of<ValueError>([] { array_str(bfloats(), {.edgeitems = 0}); }),
      "array_str: expected a precision from 0 to 4096 and "
      "edgeitems of at least 1, got 8 and 0");
}

TEST(PrintingTest, RefusesAnUndefinedArray) {
  EXPECT_THROW(array_str(Array()), ValueError);
}

}  // namespace
}  // namespace catena::array
