#include "catena/array/core/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

TEST(DtypeTest, NamesGoThereAndBack) {
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(dtype_from_name(dtype_name(dtype)), dtype);
    std::ostringstream text;
    text << dtype;
    EXPECT_EQ(text.str(), to_string(dtype));
  }
}

TEST(DtypeTest, NumpysCodesAreNamesToo) {
  EXPECT_EQ(dtype_from_name("<f4"), Dtype::kFloat32);
  EXPECT_EQ(dtype_from_name("f2"), Dtype::kFloat16);
  EXPECT_EQ(dtype_from_name("|b1"), Dtype::kBool);
  EXPECT_EQ(dtype_from_name("?"), Dtype::kBool);
  EXPECT_EQ(dtype_from_name("|i1"), Dtype::kInt8);
  EXPECT_EQ(dtype_from_name("=u8"), Dtype::kUInt64);
}

TEST(DtypeTest, UnknownNamesAreRefused) {
  for (const char* name : {"", "float", "f3", "complex64", "<", "int128"}) {
    EXPECT_THAT(error_of<DtypeError>([&] { dtype_from_name(name); }),
                HasSubstr("got '" + std::string(name) + "'"))
        << name;
  }
}

TEST(DtypeTest, SizesAndKindsAreThoseOfTheTypes) {
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    visit_dtype(dtype, [dtype](auto tag) {
      using T = decltype(tag);
      EXPECT_EQ(item_size(dtype), sizeof(T));
      EXPECT_EQ(dtype_of<T>, dtype);
      EXPECT_EQ(is_integral(dtype),
                std::is_integral_v<T> && !(std::is_same_v<T, bool>));
      EXPECT_EQ(is_floating(dtype), !std::is_integral_v<T>);
    });
  }
}

TEST(DtypeTest, TypesOfOneSizeShareADtype) {
  EXPECT_EQ(dtype_of<long>, Dtype::kInt64);
  EXPECT_EQ(dtype_of<long long>, Dtype::kInt64);
  EXPECT_EQ(dtype_of<unsigned long long>, Dtype::kUInt64);
  EXPECT_EQ(dtype_of<char>, Dtype::kInt8);
}

TEST(PromoteTest, IsSymmetricAndKeepsEqualDtypes) {
  for (int i = 0; i < kDtypeCount; ++i) {
    for (int j = 0; j < kDtypeCount; ++j) {
      const auto a = static_cast<Dtype>(i);
      const auto b = static_cast<Dtype>(j);
      EXPECT_EQ(promote(a, b), promote(b, a)) << a << " with " << b;
    }
    EXPECT_EQ(promote(static_cast<Dtype>(i), static_cast<Dtype>(i)),
              static_cast<Dtype>(i));
  }
}

// NumPy has no bfloat16; the rules are those of float16 with another range.
TEST(PromoteTest, Bfloat16MeetsOthersAsFloat16DoesButFloat16InFloat32) {
  const Dtype b = Dtype::kBFloat16;
  EXPECT_EQ(promote(b, Dtype::kBool), b);
  EXPECT_EQ(promote(b, Dtype::kInt8), b);
  EXPECT_EQ(promote(b, Dtype::kUInt8), b);
  EXPECT_EQ(promote(b, Dtype::kInt16), Dtype::kFloat32);
  EXPECT_EQ(promote(b, Dtype::kUInt16), Dtype::kFloat32);
  EXPECT_EQ(promote(b, Dtype::kInt32), Dtype::kFloat64);
  EXPECT_EQ(promote(b, Dtype::kUInt64), Dtype::kFloat64);
  EXPECT_EQ(promote(b, Dtype::kFloat16), Dtype::kFloat32);
  EXPECT_EQ(promote(b, Dtype::kFloat32), Dtype::kFloat32);
  EXPECT_EQ(promote(b, Dtype::kFloat64), Dtype::kFloat64);
}

TEST(DtypeTest, CastsAreAllowedByNumpysRules) {
  const auto safe = [](Dtype from, Dtype to) { return can_cast(from, to); };
  EXPECT_TRUE(safe(Dtype::kBool, Dtype::kInt8));
  EXPECT_TRUE(safe(Dtype::kInt64, Dtype::kFloat64));
  EXPECT_FALSE(safe(Dtype::kInt32, Dtype::kFloat32));
  EXPECT_FALSE(safe(Dtype::kInt8, Dtype::kUInt64));
  EXPECT_TRUE(safe(Dtype::kUInt8, Dtype::kInt16));
  EXPECT_FALSE(safe(Dtype::kFloat16, Dtype::kBFloat16));
  const auto same_kind = [](Dtype from, Dtype to) {
    return can_cast(from, to, Casting::kSameKind);
  };
  EXPECT_TRUE(same_kind(Dtype::kFloat64, Dtype::kFloat16));
  EXPECT_TRUE(same_kind(Dtype::kInt64, Dtype::kInt8));
  EXPECT_TRUE(same_kind(Dtype::kUInt64, Dtype::kInt8));
  EXPECT_FALSE(same_kind(Dtype::kInt8, Dtype::kUInt64));
  EXPECT_TRUE(same_kind(Dtype::kInt64, Dtype::kFloat16));
  EXPECT_FALSE(same_kind(Dtype::kFloat16, Dtype::kInt64));
  EXPECT_FALSE(same_kind(Dtype::kInt8, Dtype::kBool));
  EXPECT_TRUE(can_cast(Dtype::kFloat64, Dtype::kBool, Casting::kUnsafe));
  EXPECT_TRUE(can_cast(Dtype::kInt8, Dtype::kInt8, Casting::kNo));
  EXPECT_FALSE(can_cast(Dtype::kInt8, Dtype::kInt16, Casting::kEquiv));
}

}  // namespace
}  // namespace catena
