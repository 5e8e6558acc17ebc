#include "catena/tests/support/function_golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// A folder of one file, of two cases.
constexpr char kFolder[] = "functions/util";
constexpr char kFile[] = "functions/util/forget";

Variable first(const Variable& x, const Variable&) { return x; }

const GoldenFunction kComplete[] = {{"forget", first}};
const GoldenFunction kTooLong[] = {{"forget", first}, {"remember", first}};

TEST(FunctionGoldenTableTest, HasACaseForEachCaseOfAFileAndDevice) {
  std::vector<std::string> names;
  for (const GoldenFunctionCase& c : golden_function_cases(kFolder, kTooLong)) {
    if (c.device.is_native()) names.push_back(golden_function_name({c, 0}));
  }
  EXPECT_THAT(names, ElementsAre("forget_mul_add_f32_native0",
                                 "forget_two_f64_native0"));
}

TEST(FunctionGoldenTableTest, NamesFilesWithoutARowAndRowsWithoutAFile) {
  check_golden_table(kFolder, kComplete);
  EXPECT_NONFATAL_FAILURE(check_golden_table(kFolder, {}),
                          "functions/util/forget.npz has no row");
  EXPECT_NONFATAL_FAILURE(check_golden_table(kFolder, kTooLong),
                          "functions/util/remember.npz");
}

TEST(GoldenCallTest, HasTheInputsAndKeywordsOfTheCase) {
  const GoldenCase golden = golden_case(kFile, "two_f64");
  const GoldenCall call(golden, native_device());
  EXPECT_THAT(call.inputs(), SizeIs(2));
  EXPECT_THAT(call[1].data(), IsArray(golden.array("in1")));
  EXPECT_FALSE(call[2].defined());
  EXPECT_EQ(call.optional_attr<std::string>("func"),
            golden.attr<std::string>("func"));
  EXPECT_EQ(call.optional_attr<int>("axis"), std::nullopt);
  EXPECT_EQ(call.attr_or("axis", 1), 1);
}

// What a row calls may return one variable, some, or a tuple.
TEST(GoldenCalleeTest, GivesAListOfVariables) {
  const GoldenCase golden = golden_case(kFile, "two_f64");
  const GoldenCall call(golden, native_device());
  const auto pair = [](const GoldenCall& c) { return std::tuple(c[1], c[0]); };
  const auto list = [](const GoldenCall& c) { return c.inputs(); };
  EXPECT_THAT(GoldenCallee(first)(call), SizeIs(1));
  EXPECT_THAT(GoldenCallee(list)(call), SizeIs(2));
  const std::vector<Variable> outputs = GoldenCallee(pair)(call);
  ASSERT_THAT(outputs, SizeIs(2));
  EXPECT_THAT(outputs[0].data(), IsArray(golden.array("in1")));
}

}  // namespace
}  // namespace catena::testing
