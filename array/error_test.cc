#include "catena/array/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/dtype.h"
#include "catena/array/shape.h"

namespace catena {
namespace {

using ::testing::ThrowsMessage;

TEST(ErrorTest, MessageJoinsTextsNumbersAndWhateverHasToString) {
  const auto fail = [] {
    raise<ShapeError>("op: ", Shape{2, 3}, ' ' == ' ', " ", 42, " ", 0.1, " ",
                      Dtype::kInt8, std::string(" end"));
  };
  EXPECT_THAT(fail,
              ThrowsMessage<ShapeError>("op: (2, 3)true 42 0.1 int8 end"));
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

TEST(ErrorTest, NumbersKeepTheirPrecision) {
  EXPECT_EQ(str(1e-300), "1e-300");
  EXPECT_EQ(str(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(str(int64_t{-9223372036854775807} - 1), "-9223372036854775808");
}

}  // namespace
}  // namespace catena
