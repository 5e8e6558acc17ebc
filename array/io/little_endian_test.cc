#include "catena/array/io/little_endian.h"

#include <gtest/gtest.h>

#include <string_view>

namespace catena::array {
namespace {

constexpr std::string_view kNineBytes = "\x01\x02\xff\x04\x05\x06\x07\xf8\x09";

TEST(LittleEndianTest, TheLowestByteIsTheFirst) {
  EXPECT_EQ(little_endian({}), 0u);
  EXPECT_EQ(little_endian(kNineBytes.substr(2, 1)), 0xffu);
  EXPECT_EQ(little_endian(kNineBytes.substr(0, 3)), 0xff0201u);
  EXPECT_EQ(little_endian(kNineBytes.substr(0, 8)), 0xf807060504ff0201u);
}

TEST(LittleEndianTest, FieldsAreReadInOrder) {
  LittleEndianFields fields(kNineBytes);
  EXPECT_EQ(fields.u8(), 0x01u);
  EXPECT_EQ(fields.u16(), 0xff02u);
  EXPECT_EQ(fields.bytes(1), "\x04");
  EXPECT_EQ(fields.size(), 5u);
  EXPECT_EQ(fields.u32(), 0xf8070605u);
  EXPECT_EQ(fields.rest(), "\x09");
  EXPECT_EQ(fields.u8(), 9u);
  EXPECT_TRUE(fields.empty());
  EXPECT_TRUE(fields.ok());
  EXPECT_EQ(LittleEndianFields(kNineBytes).u64(), 0xf807060504ff0201u);
}

TEST(LittleEndianTest, NothingIsReadBehindAFieldThatIsCutShort) {
  LittleEndianFields fields(kNineBytes);
  EXPECT_EQ(fields.bytes(kNineBytes.size() + 1), "");
  EXPECT_FALSE(fields.ok());
  EXPECT_EQ(fields.u8(), 0u);
  EXPECT_EQ(fields.u64(), 0u);
  EXPECT_EQ(fields.bytes(1), "");
  EXPECT_FALSE(fields.ok());
  EXPECT_EQ(fields.size(), kNineBytes.size());
  LittleEndianFields short_fields(kNineBytes.substr(0, 3));
  EXPECT_EQ(short_fields.u32(), 0u);
  EXPECT_FALSE(short_fields.ok());
}

}  // namespace
}  // namespace catena::array
