#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/load_limits.h"
#include "catena/array/io/testing/zip_builder.h"
#include "catena/array/io/zip_reader.h"
#include "catena/array/io/zip_writer.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

constexpr auto kHuge = std::numeric_limits<uint64_t>::max();

// A reader together with the bytes it reads.
class Archive {
 public:
  explicit Archive(std::string bytes, const LoadLimits& limits = {})
      : bytes_(std::move(bytes)),
        reader_(ByteSource::of_memory(bytes_, "test"), limits) {}

  const std::vector<ZipMember>& members() const { return reader_.members(); }
  const ZipReader& reader() const { return reader_; }
  std::string read(const ZipMember& member) const {
    const auto stream = reader_.open(member);
    std::string data(static_cast<size_t>(stream->remaining()), '\0');
    stream->read(data);
    return data;
  }

 private:
  std::string bytes_;
  ZipReader reader_;
};

// Opens the archive and reads all of it; the message of the IoError on the way.
std::string error_of(const std::string& bytes, const LoadLimits& limits = {}) {
  try {
    const Archive archive(bytes, limits);
    for (const ZipMember& member : archive.members()) archive.read(member);
  } catch (const IoError& error) {
    return error.what();
  }
  return "no error";
}

RawMember deflated_member(const std::string& name, const std::string& data) {
  RawMember member(name, data);
  member.method = 8;
  member.data = deflated(data);
  member.compressed = member.data.size();
  return member;
}

std::string extra64(const std::vector<uint64_t>& numbers) {
  ZipRecord content;
  for (const uint64_t number : numbers) content.u64(number);
  return ZipRecord()
      .u16(kZip64Extra)
      .u16(content.str().size())
      .bytes(content.str())
      .str();
}

TEST(ZipReaderTest, ReadsStoredAndDeflatedMembersInOrder) {
  const std::string text(100'000, 'x');
  const Archive archive(build_zip({{"b", "stored"},
                                   deflated_member("a/a", text),
                                   {"folder/", ""},
                                   {"empty", ""}}));
  ASSERT_EQ(archive.members().size(), 3u);
  EXPECT_EQ(archive.read(archive.members()[0]), "stored");
  EXPECT_EQ(archive.read(*archive.reader().find("a/a")), text);
  EXPECT_EQ(archive.read(*archive.reader().find("empty")), "");
  EXPECT_EQ(archive.reader().find("A"), nullptr);
}

TEST(ZipReaderTest, ReadsAnArchiveWithoutMembersAndWithAComment) {
  EXPECT_TRUE(Archive(build_zip({})).members().empty());
  const std::string bytes = build_zip(
      {{"a", "1"}}, [](RawEnd& end) { end.comment = "made by hand"; });
  EXPECT_EQ(Archive(bytes).members().size(), 1u);
}

// Which of two end records is meant, programs do not agree.
TEST(ZipReaderTest, RefusesACommentWithAnEndRecord) {
  for (const std::string& comment : {std::string("PK\5\6 made by hand"),
                                     "about " + build_zip({}) + " and more"}) {
    const std::string bytes =
        build_zip({{"a", "1"}}, [&](RawEnd& end) { end.comment = comment; });
    EXPECT_THAT(error_of(bytes), HasSubstr("to be that of the file"));
  }
}

TEST(ZipReaderTest, ReadsMembersWithADescriptorAfterTheData) {
  RawMember member = deflated_member("a", "some text");
  member.flags = kZipHasDescriptor;
  member.after = ZipRecord()
                     .u32(0x08074b50)
                     .u32(member.crc)
                     .u32(member.compressed)
                     .u32(member.uncompressed)
                     .str();
  const Archive archive(build_zip({member, {"b", "2"}}));
  EXPECT_EQ(archive.read(archive.members()[0]), "some text");
  EXPECT_EQ(archive.read(archive.members()[1]), "2");
}

TEST(ZipReaderTest, Reads64BitSizes) {
  RawMember member("a", "some text");
  member.compressed = kZipIn64;
  member.uncompressed = kZipIn64;
  member.extra =
      ZipRecord().u16(0x5455).u16(1).bytes("t").str() + extra64({9, 9});
  member.local_extra = extra64({9, 9});
  const Archive archive(build_zip({member}));
  EXPECT_EQ(archive.read(archive.members()[0]), "some text");
}

TEST(ZipReaderTest, RefusesWhatIsNoArchive) {
  EXPECT_THAT(error_of(""), HasSubstr("test: '<memory>': expected a ZIP "
                                      "archive (.npz), got 0 bytes"));
  EXPECT_THAT(error_of(std::string(1000, 'P')),
              HasSubstr("got 1000 bytes without an archive's end"));
  // An end that breaks off, at the beginning of the file.
  EXPECT_THAT(
      error_of("PK\5\6ijk"),
      HasSubstr("expected its end, at offset 0, to be that of the file"));
}

TEST(ZipReaderTest, RefusesEndRecordsThatLie) {
  const auto lie = [](const std::function<void(RawEnd&)>& edit) {
    return error_of(build_zip({{"a", "1"}}, edit));
  };
  EXPECT_THAT(lie([](RawEnd& e) { e.offset += 1; }),
              HasSubstr("the archive is damaged: expected its directory to end "
                        "at offset"));
  EXPECT_THAT(lie([](RawEnd& e) { e.bytes -= 1; }), HasSubstr("damaged"));
  EXPECT_THAT(lie([](RawEnd& e) { e.entries = 2; }),
              HasSubstr("expected a directory of at least 92 bytes for 2 "
                        "members, got 47"));
  EXPECT_THAT(lie([](RawEnd& e) { e.entries = 0; }),
              HasSubstr("expected 0 members, got a longer directory"));
  EXPECT_THAT(lie([](RawEnd& e) { e.entries = 0xffff; }),
              HasSubstr("its 64-bit end"));
  EXPECT_THAT(lie([](RawEnd& e) { e.offset = 0xffffffff; }),
              HasSubstr("its 64-bit end"));
  EXPECT_THAT(lie([](RawEnd& e) { e.bytes = 0xffffffff; }),
              HasSubstr("its 64-bit end"));
  // There is no room for one.
  EXPECT_THAT(error_of(build_zip({}, [](RawEnd& e) { e.entries = 0xffff; })),
              HasSubstr("its 64-bit end before offset 0 is missing"));
}

TEST(ZipReaderTest, RefusesArchivesInSeveralParts) {
  // This part, that of the directory, and the members in this one.
  for (const size_t field : {4, 6, 8}) {
    std::string bytes = build_zip({{"a", "1"}});
    bytes[bytes.size() - kZipEndBytes + field] = 7;
    EXPECT_THAT(error_of(bytes),
                HasSubstr(str("expected an archive in one part, got part ",
                              field == 4 ? 7 : 0)));
  }
}

TEST(ZipReaderTest, RefusesDirectoriesThatBreakOff) {
  const std::string bytes = build_zip({{"a", "1"}, {"b", "2"}});
  const size_t second = bytes.rfind("PK\1\2");
  ASSERT_NE(second, std::string::npos);
  // Its signature, the length of its name, and that of a comment.
  for (const size_t field : {0, 28, 32}) {
    std::string damaged = bytes;
    damaged[second + field] = 100;
    EXPECT_THAT(error_of(damaged),
                HasSubstr("its directory breaks off after 1 members"));
  }
}

TEST(ZipReaderTest, IgnoresExtraFieldsThatBreakOff) {
  for (const std::string extra : {"x", "xxx", "xx\4"}) {
    RawMember member("a", "some text");
    member.extra = member.local_extra = extra;
    EXPECT_EQ(error_of(build_zip({member})), "no error");
  }
}

TEST(ZipReaderTest, AFolderWithContentsIsAMember) {
  const Archive archive(build_zip({{"folder/", "text"}}));
  ASSERT_EQ(archive.members().size(), 1u);
  EXPECT_EQ(archive.read(archive.members()[0]), "text");
}

TEST(ZipReaderTest, ReadsNoMoreThanAMemberHas) {
  const Archive archive(build_zip({{"a", "some text"}}));
  const auto stream = archive.reader().open(archive.members()[0]);
  std::string data(10, '\0');
  EXPECT_THAT(error_of<IoError>([&] { stream->read(data); }),
              HasSubstr("member 'a': expected 10 more bytes, got 9"));
  stream->read({data.data(), 9});
  EXPECT_EQ(data.substr(0, 9), "some text");
  stream->read({});
  EXPECT_EQ(stream->remaining(), 0);
}

// Decompressed twice, the first time only to see whether it is that long.
TEST(ZipReaderTest, ReadsLargeMembersOfFewBytes) {
  const std::string text(3 << 20, 'x');
  const Archive archive(build_zip({deflated_member("a", text)}));
  EXPECT_EQ(archive.read(archive.members()[0]), text);
}

TEST(ZipReaderTest, RefusesDangerousAndDuplicateNames) {
  EXPECT_THAT(error_of(build_zip({{"/etc/passwd", ""}})),
              HasSubstr("member '/etc/passwd': expected a relative name, got "
                        "an absolute path"));
  EXPECT_THAT(error_of(build_zip({{"\\a", ""}})), HasSubstr("absolute path"));
  for (const char* name : {"..", "../a", "a/../b", "a\\..\\b", "a/.."}) {
    EXPECT_THAT(error_of(build_zip({{name, ""}})),
                HasSubstr("got a path with '..'"));
  }
  EXPECT_EQ(error_of(build_zip({{"..a/b..", ""}})), "no error");
  EXPECT_THAT(error_of(build_zip({{"", ""}})), HasSubstr("an empty name"));
  EXPECT_THAT(error_of(build_zip({{std::string("a\0b", 3), ""}})),
              HasSubstr("member 'a\\x00b': expected a relative name, got a "
                        "zero character"));
  EXPECT_THAT(
      error_of(build_zip({{"a", "1"}, {"a", "2"}})),
      HasSubstr("member 'a': expected distinct names, got a duplicate"));
}

TEST(ZipReaderTest, RefusesMethodsAndFlagsItDoesNotKnow) {
  RawMember member("a", "1");
  member.method = 12;
  EXPECT_THAT(error_of(build_zip({member})),
              HasSubstr("expected compression method 0 (stored) or 8 "
                        "(deflate), got 12"));
  member.method = 0;
  member.flags = 1;
  EXPECT_THAT(error_of(build_zip({member})),
              HasSubstr("got an encrypted or patched one"));
}

TEST(ZipReaderTest, RefusesNewerVersionsOfTheFormat) {
  std::string bytes = build_zip({{"a", "1"}});
  char& version = bytes[bytes.find("PK\1\2") + 6];
  version = 63;
  EXPECT_EQ(error_of(bytes), "no error");
  version = 64;
  EXPECT_THAT(error_of(bytes),
              HasSubstr("member 'a': expected version 6.3 of the format, got "
                        "6.4"));
}

TEST(ZipReaderTest, NamesAreUtf8WhereFlagsSaySo) {
  RawMember member("h\xc3\xa9", "1");
  member.flags = kZipUtf8Name;
  EXPECT_EQ(error_of(build_zip({member})), "no error");
  std::string bytes = build_zip({member});
  bytes[7] ^= kZipUtf8Name >> 8;
  EXPECT_THAT(error_of(bytes), HasSubstr("the local header's flag differs"));
  member.name = "h\xc3";
  EXPECT_THAT(error_of(build_zip({member})),
              HasSubstr("member 'h\\xc3': expected a name in UTF-8"));
  member.flags = 0;
  EXPECT_EQ(error_of(build_zip({member})), "no error");
}

TEST(ZipReaderTest, RefusesExtraFieldsThatAreDamaged) {
  RawMember member("a", "some text");
  const auto with = [&](const std::string& extra) {
    member.extra = extra;
    return error_of(build_zip({member}));
  };
  const std::string time = ZipRecord().u16(0x5455).u16(1).bytes("t").str();
  EXPECT_EQ(with(time + "pad"), "no error");
  EXPECT_THAT(with(time + ZipRecord().u16(0x5455).u16(1).str()),
              HasSubstr("its directory breaks off"));
  EXPECT_EQ(with(extra64({9})), "no error");
  EXPECT_THAT(with(extra64({9}) + extra64({9})),
              HasSubstr("its directory breaks off"));
}

TEST(ZipReaderTest, ChecksTheSumOfTheData) {
  RawMember stored("a", "some text");
  stored.crc ^= 1;
  EXPECT_THAT(error_of(build_zip({stored})),
              HasSubstr("member 'a': the data is damaged: expected checksum"));
  RawMember packed = deflated_member("a", "some text");
  packed.crc ^= 1;
  EXPECT_THAT(error_of(build_zip({packed})), HasSubstr("expected checksum"));
}

TEST(ZipReaderTest, RefusesSizesThatLie) {
  RawMember stored("a", "some text");
  stored.uncompressed = 10;
  EXPECT_THAT(error_of(build_zip({stored})),
              HasSubstr("expected as many bytes stored as read, got 9 and 10"));
  RawMember more = deflated_member("a", "some text");
  more.uncompressed = 8;
  EXPECT_THAT(error_of(build_zip({more})),
              HasSubstr("expected 8 bytes from the compressed data, got more"));
  RawMember less = deflated_member("a", "some text");
  less.uncompressed = 10;
  EXPECT_THAT(error_of(build_zip({less})),
              HasSubstr("expected 10 bytes from it, got 9"));
  RawMember longer("a", "some text");
  longer.compressed = longer.uncompressed = 1'000'000;
  EXPECT_THAT(error_of(build_zip({longer})),
              HasSubstr("the file is truncated: expected 1000000 bytes"));
  RawMember trailing = deflated_member("a", "some text");
  trailing.data += "x";
  trailing.compressed += 1;
  EXPECT_THAT(error_of(build_zip({trailing})),
              HasSubstr("bytes, got an end after "));
  RawMember cut = deflated_member("a", "some text");
  cut.data.pop_back();
  cut.compressed -= 1;
  EXPECT_THAT(error_of(build_zip({cut})), HasSubstr("data is truncated"));
}

TEST(ZipReaderTest, Refuses64BitSizesThatLie) {
  for (const uint64_t size : {uint64_t{10}, uint64_t{1} << 40, kHuge}) {
    RawMember member("a", "some text");
    member.compressed = kZipIn64;
    member.uncompressed = kZipIn64;
    member.extra = extra64({size, size});
    EXPECT_NE(error_of(build_zip({member})), "no error") << size;
    member.extra = extra64({size});
    EXPECT_THAT(error_of(build_zip({member})),
                HasSubstr("its directory breaks off after 0 members"));
  }
}

TEST(ZipReaderTest, RefusesDataThatIsNotDeflate) {
  RawMember member("a", std::string(100, '\xff'));
  member.method = 8;
  EXPECT_THAT(error_of(build_zip({member})),
              HasSubstr("member 'a': the compressed data is damaged"));
}

TEST(ZipReaderTest, RefusesMembersThatShareBytes) {
  RawMember second("b", "2");
  const RawMember first("a", "some text");
  second.offset_shift = -static_cast<uint64_t>(kZipLocalHeaderBytes + 1 + 9);
  EXPECT_THAT(error_of(build_zip({first, second})),
              HasSubstr("got other contents from offset"));
  second.offset_shift = 1'000'000;
  EXPECT_THAT(error_of(build_zip({first, second})),
              HasSubstr("got other contents from offset"));
}

TEST(ZipReaderTest, FoldersShareNoBytesEither) {
  RawMember folder("b/", "");
  const RawMember first("a", "some text");
  EXPECT_EQ(error_of(build_zip({first, folder})), "no error");
  folder.offset_shift = -static_cast<uint64_t>(9);
  EXPECT_THAT(error_of(build_zip({first, folder})),
              HasSubstr("got other contents from offset"));
  folder.offset_shift = 0;
  folder.compressed = kZipIn64;
  folder.extra = extra64({kHuge});
  EXPECT_THAT(error_of(build_zip({first, folder})),
              HasSubstr("got other contents from offset"));
}

TEST(ZipReaderTest, RefusesLocalHeadersThatDiffer) {
  RawMember member("a", "some text");
  member.local_name = "b";
  EXPECT_THAT(error_of(build_zip({member})),
              HasSubstr("the local header's name differs"));
  std::string bytes = build_zip({{"a", "some text"}});
  bytes[8] = 8;
  EXPECT_THAT(error_of(bytes), HasSubstr("the local header's method differs"));
  bytes = build_zip({{"a", "some text"}});
  bytes[14] ^= 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("header's checksum differs"));
  bytes = build_zip({{"a", "some text"}});
  bytes[22] ^= 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("header's size differs"));
  bytes = build_zip({{"a", "some text"}});
  bytes[0] ^= 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("header's signature differs"));
  bytes = build_zip({{"a", "some text"}});
  bytes[29] = 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("header's length differs"));
  bytes[29] = 0;
  bytes[28] = 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("header's length differs"));
  bytes = build_zip({deflated_member("a", "some text")});
  bytes[18] ^= 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("header's size differs"));
  member = RawMember("a", "some text");
  member.compressed = member.uncompressed = kZipIn64;
  member.extra = extra64({9, 9});
  EXPECT_THAT(error_of(build_zip({member})),
              HasSubstr("header's size differs"));
}

TEST(ZipReaderTest, ObeysItsLimits) {
  const std::string zeros(100'000, '\0');
  const std::string bytes =
      build_zip({deflated_member("a", zeros), {"b", "2"}});
  EXPECT_EQ(error_of(bytes), "no error");
  EXPECT_THAT(error_of(bytes, {.members = 1}),
              HasSubstr("expected at most 1 members (LoadLimits::members), "
                        "got 2"));
  EXPECT_THAT(error_of(bytes, {.total_bytes = 100'000}),
              HasSubstr("expected at most 100000 bytes in all members "
                        "(LoadLimits::total_bytes), got more by member 'b'"));
  EXPECT_THAT(error_of(bytes, {.compression_ratio = 100}),
              HasSubstr("member 'a': expected at most 100 times its "
                        "compressed size (LoadLimits::compression_ratio), got "
                        "100000 bytes from"));
  EXPECT_THAT(error_of(build_zip({{"long name", ""}}), {.header_bytes = 4}),
              HasSubstr("expected a name of at most 4 bytes, got 9"));
}

TEST(ZipReaderTest, RefusesABombWithoutAllocatingWhatItClaims) {
  // Claims 8 GiB, a thousand times what is in the file, and holds 8 MiB.
  RawMember bomb = deflated_member("a", std::string(8 << 20, '\0'));
  bomb.data += std::string(1 << 23, 'x');
  bomb.compressed = bomb.data.size();
  bomb.uncompressed = uint64_t{8} << 30;
  const std::string size = extra64({bomb.uncompressed});
  bomb.uncompressed = kZipIn64;
  bomb.extra = size;
  bomb.local_extra = extra64({uint64_t{8} << 30, bomb.compressed});
  const std::string bytes = build_zip({bomb});
  const Archive archive(bytes);
  EXPECT_THAT(
      error_of<IoError>([&] { archive.reader().open(archive.members()[0]); }),
      HasSubstr("data is damaged"));
}

std::string written(int level, int64_t zip64_from = kZipIn64) {
  std::string bytes;
  StringSink sink(&bytes);
  ZipWriter writer(sink, zip64_from);
  for (const char* name : {"a/b", "\xc3\xa9"}) {
    ByteSink& member = writer.begin_member(name, level);
    member.write(std::string(name));
    member.write(std::string(1'000'000, 'x'));
    EXPECT_GT(member.position(), 1'000'000);
    writer.end_member();
  }
  writer.finish();
  return bytes;
}

// A field of the 64-bit end record or its locator, and the part that is wrong.
TEST(ZipReaderTest, Refuses64BitEndsThatLie) {
  const std::string whole = written(0, 0);
  EXPECT_EQ(error_of(whole), "no error");
  const size_t record =
      whole.size() - kZipEndBytes - kZip64LocatorBytes - kZip64EndBytes;
  for (const auto& [field, part] : {std::pair{0, "end"},
                                    {4, "end"},
                                    {16, "end"},
                                    {20, "end"},
                                    {24, "end"},
                                    {32, "end"},
                                    {40, "directory"},
                                    {48, "directory"},
                                    {55, "directory"},
                                    {56, "locator"},
                                    {60, "locator"},
                                    {64, "locator"},
                                    {72, "locator"}}) {
    std::string bytes = whole;
    bytes[record + field] ^= 3;
    EXPECT_THAT(
        error_of(bytes),
        HasSubstr(str("its 64-bit ", part, " before offset ",
                      whole.size() - kZipEndBytes, " is missing or wrong")))
        << field;
  }
}

TEST(ZipWriterTest, WhatAMemberHasStaysSo) {
  std::string bytes;
  StringSink sink(&bytes);
  ZipWriter writer(sink);
  ByteSink& member = writer.begin_member("a", 0);
  member.write(std::string("text"));
  EXPECT_THAT(error_of<NotImplementedError>(
                  [&] { member.overwrite(0, std::string("T")); }),
              HasSubstr("bytes of an archive's member cannot be replaced"));
  writer.end_member();
  writer.finish();
  EXPECT_EQ(error_of(bytes), "no error");
}

TEST(ZipWriterTest, WritesWhatTheReaderReads) {
  for (const int level : {0, 1, 9}) {
    for (const int64_t zip64_from : {int64_t{0}, int64_t{kZipIn64}}) {
      const std::string bytes = written(level, zip64_from);
      const Archive archive(bytes);
      ASSERT_EQ(archive.members().size(), 2u);
      for (const ZipMember& member : archive.members()) {
        EXPECT_EQ(archive.read(member),
                  member.name + std::string(1'000'000, 'x'));
      }
      EXPECT_EQ(bytes.size() < 100'000, level > 0);
    }
  }
}

// More comes out of the compressor at once than its buffer takes.
TEST(ZipWriterTest, WritesWhatCannotBeCompressed) {
  std::mt19937 random(1);
  std::string noise(1'000'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  std::string bytes;
  StringSink sink(&bytes);
  ZipWriter writer(sink);
  writer.begin_member("noise", 9).write(noise);
  writer.end_member();
  writer.finish();
  const Archive archive(bytes);
  EXPECT_EQ(archive.read(archive.members()[0]), noise);
}

TEST(ZipWriterTest, TheSameMembersGiveTheSameBytes) {
  EXPECT_EQ(written(6), written(6));
}

TEST(ZipWriterTest, HasRoomForMoreMembersThan16BitsCount) {
  std::string bytes;
  StringSink sink(&bytes);
  ZipWriter writer(sink);
  constexpr int kMembers = 66'000;
  for (int i = 0; i < kMembers; ++i) {
    writer.begin_member(str("m", i), 0);
    writer.end_member();
  }
  writer.finish();
  const Archive archive(bytes);
  EXPECT_EQ(archive.members().size(), static_cast<size_t>(kMembers));
  EXPECT_EQ(archive.read(*archive.reader().find("m65999")), "");
}

TEST(ZipWriterTest, RefusesNamesThatItWouldNotRead) {
  std::string bytes;
  StringSink sink(&bytes);
  ZipWriter writer(sink);
  writer.begin_member("a", 0);
  EXPECT_THAT(error_of<ValueError>([&] { writer.begin_member("b", 0); }),
              HasSubstr("member 'a' was not finished"));
  EXPECT_THAT(error_of<ValueError>([&] { writer.finish(); }),
              HasSubstr("member 'a' was not finished"));
  writer.end_member();
  EXPECT_THAT(
      error_of<ValueError>([&] { writer.begin_member("a", 0); }),
      HasSubstr("member 'a': expected distinct names, got a duplicate"));
  EXPECT_THAT(error_of<ValueError>([&] { writer.begin_member("/a", 0); }),
              HasSubstr("an absolute path"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { writer.begin_member(std::string(70'000, 'n'), 0); }),
              HasSubstr("a name of at most 65535 bytes, got 70000"));
}

}  // namespace
}  // namespace catena::array
