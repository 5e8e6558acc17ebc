// Headers of objects, and messages that they share.

#include "catena/serializers/hdf5_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "catena/serializers/hdf5_library.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/serializers/testing/hdf5_handmade_dataset.h"
#include "catena/serializers/testing/hdf5_handmade_group.h"
#include "catena/serializers/testing/hdf5_hostile.h"
#include "catena/serializers/testing/hdf5_sample.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::read_file;
using ::catena::testing::write_file;
using handmade::file;
using handmade::group_of;
using handmade::header;
using handmade::integer;
using handmade::kNone;
using handmade::kRoot;
using handmade::kSigned;
using handmade::message;
using handmade::number;
using handmade::Parts;
using handmade::space_1;
using ::testing::Contains;
using ::testing::Not;

constexpr int kShared = 1 << 1;

TEST_F(HandmadeDatasetTest, CommittedTypesAreReadFromTheirHeader) {
  const auto shared = [](int version, int place, uint64_t address) {
    return number(static_cast<uint64_t>(version), 1) +
           number(static_cast<uint64_t>(place), 1) + number(address, 8);
  };
  Parts parts = {.type = shared(3, 2, 0),
                 .behind = header(message(3, integer(kSigned, 2))),
                 .type_flags = kShared};
  const uint64_t committed = behind(parts);
  for (const auto& [version, place] : {std::pair{2, 0}, {2, 1}, {3, 2}}) {
    parts.type = shared(version, place, committed);
    expect_numbers(parts, {1, 2});
  }
  parts.type = shared(3, 1, committed);
  expect_refusal(parts, "one that is shared with other objects");
  parts.type = shared(1, 0, committed);
  expect_refusal(parts, "expected version 2 or 3, got 1");
  parts.type = shared(3, 2, committed);
  for (const std::string& other :
       {message(1, space_1({})),
        message(3, shared(3, 2, committed), kShared)}) {
    parts.behind = header(other);
    expect_refusal(parts, "expected the header of a committed datatype");
  }
  // Only types may be shared.
  expect_refusal({.more = message(11, shared(3, 2, committed), kShared)},
                 "one that is shared with other objects");
}

TEST_F(HandmadeDatasetTest, MessagesThatMustBeKnownAreRefused) {
  constexpr int kMustBeKnown = 1 << 7;
  expect_numbers({.more = message(0x20, "") + message(0x18, "", kMustBeKnown)},
                 {1, 2});
  for (const int type : {0x19, 0x20}) {
    expect_refusal({.more = message(type, "", kMustBeKnown)},
                   "expected messages that may be ignored, got one of type " +
                       std::to_string(type));
  }
}

TEST_F(HostileTest, MessagesOfOtherFlagsOrLengthsAreRefused) {
  const auto with = [](int flags, uint64_t bytes) {
    std::string messages = message(0x11, number(0, 16)) + number(0, 2) +
                           number(bytes, 2) + number(0, 4) +
                           std::string(bytes, '\0');
    messages[4] = static_cast<char>(flags);
    return file(header(messages));
  };
  expect_refusal(with(0, 8), "local heap");
  for (const int flags : {0x06, 0x20, 0x38}) {
    expect_refusal(with(flags, 8), "flags of a message that go together");
  }
  for (const int flags : {0x02, 0x40}) {
    expect_refusal(with(flags, 8), "a message that may be shared");
  }
  expect_refusal(with(0, 4), "a multiple of 8 bytes");
}

TEST_F(HostileTest, ReferencesOfOtherVersionsAreRefused) {
  expect_refusal(file(header(message(0x16, number(1, 8)))), "version 0");
}

TEST_F(HostileTest, HeadersOfOtherLengthsAreRefused) {
  std::string bytes = group_of({});
  bytes[kRoot + 2] = 0;  // the number of messages
  expect_refusal(bytes, "room for 0 messages");
  bytes = group_of({});
  bytes.replace(kRoot + 8, 4, number(7, 4));
  expect_refusal(bytes, "room for 1 messages");
}

TEST_F(HostileTest, ContinuationsThatGoInCirclesAreRefused) {
  const uint64_t next = kRoot + 16 + 24;
  const std::string to_next = message(0x10, number(next, 8) + number(24, 8));
  expect_refusal(file(header(to_next) + to_next), "a cycle");
}

// Each block reaches to the end of the file, and has all the blocks after it.
TEST_F(HostileTest, ContinuationsThatOverlapAreRefused) {
  constexpr uint64_t kBlocks = 40'000;
  const uint64_t end = kRoot + 16 + 24 * (kBlocks + 2);
  std::string messages;
  for (uint64_t i = 0; i <= kBlocks; ++i) {
    const uint64_t next = kRoot + 16 + 24 * (i + 1);
    messages += message(0x10, number(next, 8) + number(end - next, 8));
  }
  messages += message(0, std::string(16, '\0'));  // of no meaning
  std::string bytes = file(header(messages));
  bytes.replace(kRoot + 8, 4, number(24, 4));  // only the first is in it
  expect_refusal(bytes, "one that was there before");
}

// libhdf5 keeps what it knows of a file apart from what it knows of objects.
TEST_F(HostileTest, ObjectsThatAreTheSuperblocksExtensionAreRefused) {
  {
    Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
    file.add("x", H5T_STD_I16LE, {4});
    const Hdf5Handle type(H5Tcopy(H5T_STD_I16LE), H5Tclose);
    H5Tcommit2(file.id(), "type", type.id(), H5P_DEFAULT, H5P_DEFAULT,
               H5P_DEFAULT);
    file.create("y", type.id(), {4});
  }
  const std::string whole = read_file(path());
  constexpr size_t kExtension = 20;
  ASSERT_EQ(whole.substr(kExtension, 8), number(kNone, 8));
  const auto with_extension = [&](uint64_t address) {
    std::string bytes = whole;
    bytes.replace(kExtension, 8, number(address, 8));
    return mended(whole, bytes);
  };
  const std::vector<std::string> keys = {"x", "y"};
  EXPECT_THAT(outcomes(keys), Not(Contains("error")));
  int headers = 0;
  for (size_t at = whole.find("OHDR"); at != std::string::npos;
       at = whole.find("OHDR", at + 1)) {
    write_file(path(), with_extension(at));
    EXPECT_THAT(outcomes(keys), Contains("error")) << at;
    ++headers;
  }
  EXPECT_EQ(headers, 4);  // the root group and the type have one, too
  const std::string message = "expected an object, got the superblock's exten";
  const size_t root = whole.find("OHDR");
  expect_refusal(with_extension(root), message);
  expect_refusal(with_extension(whole.find("OHDR", root + 1)), message);
}

}  // namespace
}  // namespace catena::serializers
