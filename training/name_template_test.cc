#include "catena/training/name_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/number_text.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::ScriptedTraining;

std::optional<ObservedValue> lookup(std::string_view field) {
  if (field == "n") return 42;
  if (field == "x") return -2.5;
  return std::nullopt;
}

std::string fill(std::string_view name) { return fill_name(name, lookup, "f"); }

TEST(NameTemplateTest, FillsFields) {
  EXPECT_EQ(fill("plain"), "plain");
  EXPECT_EQ(fill("a{n}b{x}"), "a42b-2.5");
  EXPECT_EQ(fill("{{{n}}}"), "{42}");
}

TEST(NameTemplateTest, FormatsAsPythonDoes) {
  EXPECT_EQ(fill("{n:06}"), "000042");
  EXPECT_EQ(fill("{n:6}"), "    42");
  EXPECT_EQ(fill("{n:d}"), "42");
  EXPECT_EQ(fill("{x:.3f}"), "-2.500");
  EXPECT_EQ(fill("{x:07.2f}"), "-002.50");
  EXPECT_EQ(fill("{x:e}"), "-2.500000e+00");
  EXPECT_EQ(fill("{n:.1f}"), "42.0");
  EXPECT_EQ(fill("{x:g}"), "-2.5");
}

TEST(NameTemplateTest, RejectsOtherFieldsAndSyntax) {
  for (const char* name : {"{", "}", "a{n", "{y}", "{}", "{n:x}", "{n:.}",
                           "{x:d}", "{n:.2d}", "{n:999}", "{n!r}"}) {
    EXPECT_THAT(error_of<ValueError>([&] { fill(name); }),
                HasSubstr("f: the name '"))
        << name;
  }
}

TEST(NameTemplateTest, KnowsTrainers) {
  ScriptedTraining training({3, "iteration"});
  training.trainer.run();
  EXPECT_EQ(fill_name("{.updater.iteration}-{.updater.epoch}-"
                      "{.updater.epoch_detail}",
                      training.trainer, "f"),
            "3-1-1.5");
  EXPECT_NO_THROW(check_name("{.updater.iteration}{.elapsed_time:.1f}", "f"));
  EXPECT_THROW(check_name("{.updater.iterations}", "f"), ValueError);
}

TEST(NumberTextTest, IsWhatPrintfMakesOfIt) {
  EXPECT_EQ(number_text(0.5), "0.5");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(number_text(123456789), "1.23457e+08");
  EXPECT_EQ(number_text(1), "1");
  EXPECT_EQ(number_text(0.000012345678), "1.23457e-05");
  EXPECT_EQ(number_text(std::nan("")), "nan");
  EXPECT_EQ(number_text(2.345, 1, std::chars_format::fixed), "2.3");
}

}  // namespace
}  // namespace catena::training
