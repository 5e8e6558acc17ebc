#include "catena/array/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/dtype.h"
#include "catena/array/core/shape.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;

TEST(ErrorTest, MessageJoinsTextsNumbersAndWhateverHasToString) {
  const auto fail = [] {
    raise<ShapeError>("op: ", Shape{2, 3}, ' ' == ' ', " ", 42, " ", 0.1, " ",
                      Dtype::kInt8, std::string(" end"));
  };
  EXPECT_THAT(error_of<ShapeError>(fail), "op: (2, 3)true 42 0.1 int8 end");
}

TEST(ErrorTest, EveryExceptionIsAnError) {
  EXPECT_THROW(raise<DtypeError>("x"), Error);
  EXPECT_THROW(raise<IndexError>("x"), Error);
  EXPECT_THROW(raise<DeviceError>("x"), Error);
  EXPECT_THROW(raise<ValueError>("x"), Error);
  EXPECT_THROW(raise<InvalidType>("x"), Error);
  EXPECT_THROW(raise<GradientError>("x"), Error);
  EXPECT_THROW(raise<NotImplementedError>("x"), Error);
  EXPECT_THROW(raise<IoError>("x"), Error);
  EXPECT_THROW(raise<OutOfMemoryError>("x"), Error);
}

// The message of an error that `change` was applied to on its way.
template <class E, class Change>
std::string changed_message(const Change& change) {
  try {
    try {
      raise<E>("op: text");
    } catch (Error& error) {
      change(error);
      throw;
    }
  } catch (const E& error) {
    return error.what();
  }
}

TEST(ErrorTest, TextIsPutInFrontOfTheMessage) {
  EXPECT_EQ(changed_message<ShapeError>(
                [](Error& error) { error.prepend("layer a: "); }),
            "layer a: op: text");
}

TEST(ErrorTest, ThePathOfLinksGrowsFromTheInside) {
  const int links[3] = {};
  EXPECT_EQ(changed_message<ShapeError>(
                [&](Error& error) { error.leave_link("l1", &links[0]); }),
            "in link /l1: op: text");
  EXPECT_EQ(changed_message<InvalidType>([&](Error& error) {
              error.leave_link("l1", &links[0]);
              error.leave_link("l1", &links[0]);
              error.leave_link("0", &links[1]);
              error.leave_link("predictor", &links[2]);
            }),
            "in link /predictor/0/l1: op: text");
  EXPECT_EQ(changed_message<InvalidType>([&](Error& error) {
              error.leave_link("l1", &links[0]);
              error.prepend("layer a: ");
              error.leave_link("net", &links[1]);
            }),
            "in link /net: layer a: in link /l1: op: text");
}

TEST(ErrorTest, ACopyHasTheMessageOfItsTime) {
  ValueError error("text");
  const ValueError copy = error;
  error.prepend("more ");
  EXPECT_STREQ(copy.what(), "text");
  EXPECT_STREQ(error.what(), "more text");
}

TEST(ErrorTest, NumbersKeepTheirPrecision) {
  EXPECT_EQ(str(1e-300), "1e-300");
  EXPECT_EQ(str(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(str(int64_t{-9223372036854775807} - 1), "-9223372036854775808");
}

}  // namespace
}  // namespace catena
