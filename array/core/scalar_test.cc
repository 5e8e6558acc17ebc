#include "catena/array/core/scalar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;

TEST(ScalarTest, ItsOwnDtypeIsTheWidestOfItsKind) {
  EXPECT_EQ(Scalar(true).dtype(), Dtype::kBool);
  EXPECT_EQ(Scalar(int8_t{1}).dtype(), Dtype::kInt64);
  EXPECT_EQ(Scalar(1).dtype(), Dtype::kInt64);
  EXPECT_EQ(Scalar(1u).dtype(), Dtype::kUInt64);
  EXPECT_EQ(Scalar(1.0f).dtype(), Dtype::kFloat64);
  EXPECT_EQ(Scalar(float16(1)).dtype(), Dtype::kFloat64);
}

TEST(ScalarTest, TakesTheArraysDtypeUnlessItsKindIsHigher) {
  EXPECT_EQ(Scalar(2).promoted_with(Dtype::kInt8), Dtype::kInt8);
  EXPECT_EQ(Scalar(2u).promoted_with(Dtype::kInt8), Dtype::kInt8);
  EXPECT_EQ(Scalar(2).promoted_with(Dtype::kUInt8), Dtype::kUInt8);
  EXPECT_EQ(Scalar(2).promoted_with(Dtype::kBool), Dtype::kInt64);
  EXPECT_EQ(Scalar(2u).promoted_with(Dtype::kBool), Dtype::kInt64);
  EXPECT_EQ(Scalar(2).promoted_with(Dtype::kFloat16), Dtype::kFloat16);
  EXPECT_EQ(Scalar(2.5).promoted_with(Dtype::kFloat16), Dtype::kFloat16);
  EXPECT_EQ(Scalar(2.5).promoted_with(Dtype::kBFloat16), Dtype::kBFloat16);
  EXPECT_EQ(Scalar(2.5).promoted_with(Dtype::kInt32), Dtype::kFloat64);
  EXPECT_EQ(Scalar(true).promoted_with(Dtype::kUInt16), Dtype::kUInt16);
}

template <class T>
T stored(Scalar scalar) {
  T item;
  scalar.store(&item, dtype_of<T>, "test");
  return item;
}

TEST(ScalarTest, StoresTheEndsOfEveryIntegerDtype) {
  EXPECT_EQ(stored<int8_t>(-128), -128);
  EXPECT_EQ(stored<uint8_t>(255), 255);
  EXPECT_EQ(stored<int64_t>(std::numeric_limits<int64_t>::min()),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(stored<uint64_t>(std::numeric_limits<uint64_t>::max()),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(stored<int64_t>(-9223372036854775808.0),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(stored<int16_t>(-1.9), -1);
  EXPECT_EQ(stored<uint8_t>(-0.9), 0);
}

TEST(ScalarTest, WhatAnIntegerDtypeCannotHoldIsRefused) {
  EXPECT_THROW(stored<int8_t>(128), DtypeError);
  EXPECT_THROW(stored<int8_t>(-129), DtypeError);
  EXPECT_THROW(stored<uint8_t>(-1), DtypeError);
  EXPECT_THROW(stored<uint64_t>(-1), DtypeError);
  EXPECT_THROW(stored<int64_t>(std::numeric_limits<uint64_t>::max()),
               DtypeError);
  EXPECT_THROW(stored<int64_t>(9223372036854775808.0), DtypeError);
  EXPECT_THROW(stored<int32_t>(std::nan("")), DtypeError);
  EXPECT_THROW(stored<int32_t>(HUGE_VAL), DtypeError);
  EXPECT_THAT(error_of<DtypeError>([] { stored<uint8_t>(-1); }),
              "test: expected a number that uint8 can hold, got -1");
}

TEST(ScalarTest, FloatsRoundAndOverflowToInfinity) {
  EXPECT_EQ(static_cast<float>(stored<float16>(0.1)), 0.0999755859375f);
  EXPECT_TRUE(std::isinf(static_cast<float>(stored<float16>(1e6))));
  EXPECT_TRUE(std::isnan(stored<float>(std::nan(""))));
  EXPECT_EQ(stored<double>(uint64_t{1} << 63), 0x1p63);
}

TEST(ScalarTest, TextIsTheValue) {
  EXPECT_EQ(to_string(Scalar(true)), "true");
  EXPECT_EQ(to_string(Scalar(-3)), "-3");
  EXPECT_EQ(to_string(Scalar(std::numeric_limits<uint64_t>::max())),
            "18446744073709551615");
  EXPECT_EQ(to_string(Scalar(0.1)), "0.1");
}

}  // namespace
}  // namespace catena
