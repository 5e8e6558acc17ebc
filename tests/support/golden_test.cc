#include "catena/tests/support/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A NumPy file for the tests of printing, with most kinds of keys.
constexpr char kPrinting[] = "array/printing";

TEST(GoldenTest, ReadsTheCasesInTheOrderOfTheFile) {
  const std::vector<GoldenCase> cases = golden_cases(kPrinting);
  ASSERT_EQ(cases.size(), 144u);
  EXPECT_EQ(cases[0].name(), "bool_1d");
  EXPECT_EQ(cases[143].name(), "float32_shape301");
}

TEST(GoldenTest, GivesArraysAndText) {
  const GoldenCase golden = golden_case(kPrinting, "float32_fixed");
  EXPECT_EQ(golden.array("in0").dtype(), Dtype::kFloat32);
  EXPECT_EQ(golden.array("in0").shape(), Shape({3}));
  EXPECT_TRUE(golden.has("repr"));
  EXPECT_FALSE(golden.has("out0"));
  EXPECT_THAT(golden.text("repr"), HasSubstr("dtype=float32"));
  EXPECT_EQ(golden.inputs().size(), 1u);
  EXPECT_TRUE(golden.outputs().empty());
  EXPECT_THAT(golden.keys("attr/"), ElementsAre("floatmode", "precision"));
}

TEST(GoldenTest, GivesAttributesByType) {
  const GoldenCase golden = golden_case(kPrinting, "float32_fixed");
  EXPECT_EQ(golden.attr<std::string>("floatmode"), "fixed");
  EXPECT_TRUE(golden.attr_is_text("floatmode"));
  EXPECT_EQ(golden.attr<int>("precision"), 4);
  EXPECT_EQ(golden.attr<double>("precision"), 4.0);
  EXPECT_EQ(golden.attr<Shape>("precision"), Shape({4}));
  EXPECT_THAT(golden.attr<std::vector<double>>("precision"), ElementsAre(4.0));
  EXPECT_EQ(golden.attr_or("linewidth", 75), 75);
  EXPECT_TRUE(
      golden_case(kPrinting, "float32_suppress").attr<bool>("suppress"));
  EXPECT_TRUE(golden.train());
}

TEST(GoldenTest, ToleranceIsThatOfTheArraysOwnDtype) {
  const auto bounds = [](const char* path, const char* name, const char* key) {
    return ::testing::DescribeMatcher<const Array&>(
        golden_case(path, name).is_close(key));
  };
  EXPECT_THAT(bounds(kPrinting, "float16_1d", "in0"),
              HasSubstr("within rtol 0.005 and atol 0.005 of"));
  EXPECT_THAT(bounds(kPrinting, "float32_1d", "in0"),
              HasSubstr("within rtol 0.0001 and atol 1e-05 of"));
  // A float64 result of a float16 input.
  EXPECT_THAT(bounds("array/arithmetic", "add_float64_float16", "out0"),
              HasSubstr("within rtol 1e-10 and atol 1e-10 of"));
  // The case has a "tol".
  EXPECT_THAT(bounds("functions/math/rsqrt", "f16", "out0"),
              HasSubstr("within rtol 0.008 and atol 0.008 of"));
}

TEST(GoldenTest, NamesWhatIsMissing) {
  EXPECT_THAT(error_of<IoError>(
                  [] { golden_case(kPrinting, "bool_1d").array("out0"); }),
              "tests/golden/array/printing.npz: case bool_1d: expected key "
              "out0, got in0 repr str");
  EXPECT_THAT(error_of<IoError>([] {
                golden_case(kPrinting, "float32_fixed").attr<int>("floatmode");
              }),
              "tests/golden/array/printing.npz: case float32_fixed: key "
              "attr/floatmode: expected an integer, got dtype uint8 and "
              "shape (5,)");
  EXPECT_THAT(error_of<IoError>([] { golden_case(kPrinting, "none"); }),
              HasSubstr("expected a case none"));
  EXPECT_THAT(error_of<IoError>([] { golden_cases("array/none"); }),
              AllOf(HasSubstr("'tests/golden/array/none.npz'"),
                    HasSubstr("found none of")));
}

}  // namespace
}  // namespace catena::testing
