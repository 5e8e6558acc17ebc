#include "catena/training/log_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::training {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(LogJsonTest, ReadsNumbersThatAreNotFinite) {
  const std::vector<Observation> log =
      log_from_json(R"([{"a": NaN, "b": -Infinity, "c": Infinity, "d": 2}])");
  ASSERT_THAT(log, SizeIs(1));
  EXPECT_TRUE(std::isnan(log[0]["a"].as_double()));
  EXPECT_EQ(log[0]["b"].as_double(), -HUGE_VAL);
  EXPECT_EQ(log[0]["c"].as_double(), HUGE_VAL);
  EXPECT_EQ(log_to_json(log, 0),
            R"([{"a": NaN, "b": -Infinity, "c": Infinity, "d": 2}])");
}

TEST(LogJsonTest, NamesAndCurvesAreReadAsTheyWereWritten) {
  const std::vector<std::string> names = {"main/loss", "\"\n\xc3\xa9", ""};
  EXPECT_EQ(names_from_json(names_to_json(names)), names);
  const Curves curves = {{"loss", {{1, 0.5}, {2, 0.25}}}, {"none", {}}};
  EXPECT_EQ(curves_from_json(curves_to_json(curves)), curves);
}

TEST(LogJsonTest, DeepNestingIsRefusedBeforeItIsRead) {
  const std::string deep(1'000'000, '[');
  for (const auto& read :
       {+[](const std::string& text) { log_from_json(text); },
        +[](const std::string& text) { names_from_json(text); },
        +[](const std::string& text) { curves_from_json(text); }}) {
    EXPECT_THAT(error_of<IoError>([&] { read(deep); }), HasSubstr("JSON: "));
    EXPECT_THAT(error_of<IoError>([&] { read("[[[[[[[[1]]]]]]]]"); }),
                HasSubstr("expected less nesting"));
    EXPECT_THAT(error_of<IoError>([&] { read("{\"a\": tru"); }),
                HasSubstr("JSON: "));
    EXPECT_THAT(error_of<IoError>([&] { read(""); }), HasSubstr("JSON: "));
  }
}

TEST(LogJsonTest, OtherContentsAreNamed) {
  EXPECT_THAT(error_of<IoError>([] { log_from_json("{}"); }),
              HasSubstr("JSON: expected "));
  EXPECT_THAT(error_of<IoError>([] { log_from_json(R"([{"a": [1]}])"); }),
              HasSubstr("got "));
  EXPECT_THAT(error_of<IoError>([] { names_from_json("[1]"); }),
              HasSubstr("expected a name, got "));
  EXPECT_THAT(error_of<IoError>([] { curves_from_json(R"({"a": [[1]]})"); }),
              HasSubstr("got "));
}

}  // namespace
}  // namespace catena::training
