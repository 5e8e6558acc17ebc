#include "catena/array/io/tofile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using catena::testing::read_file;

class TofileTest : public catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, TofileTest, catena::testing::every_device(),
                         catena::testing::device_name);

TEST_P(TofileTest, WritesTheBytesInCOrder) {
  const catena::testing::TempFolder folder;
  const std::string path = folder.file("a.bin");
  const Array a = array({{1, 2}, {3, 4}}, Dtype::kInt16);
  tofile(a.T(), path);
  const int16_t expected[] = {1, 3, 2, 4};
  const std::string bytes = read_file(path);
  ASSERT_EQ(bytes.size(), sizeof(expected));
  EXPECT_EQ(std::memcmp(bytes.data(), expected, sizeof(expected)), 0);
  tofile(zeros({0, 3}), path);
  EXPECT_EQ(read_file(path), "");
}

TEST_P(TofileTest, WritesTextWithASeparator) {
  const catena::testing::TempFolder folder;
  const std::string path = folder.file("a.txt");
  tofile(array({{1, -2}, {3, 4}}), path, {.sep = ", "});
  EXPECT_EQ(read_file(path), "1, -2, 3, 4");
  tofile(array({0.5f, 0.1f, 1e10f}), path, {.sep = " "});
  EXPECT_EQ(read_file(path), "0.5 0.10000000149011612 10000000000.0");
  tofile(array({true, false}), path, {.sep = "\n"});
  EXPECT_EQ(read_file(path), "True\nFalse");
}

TEST_P(TofileTest, WritesEachElementInItsFormat) {
  const catena::testing::TempFolder folder;
  const std::string path = folder.file("a.txt");
  const auto text = [&](const Array& a, const std::string& format) {
    tofile(a, path, {.sep = ";", .format = format});
    return read_file(path);
  };
  EXPECT_EQ(text(array({0.5, -2.25}), "%.1f"), "0.5;-2.2");
  EXPECT_EQ(text(array({1, 2}), "%8.2e"), "1.00e+00;2.00e+00");
  EXPECT_EQ(text(array({3.9, -3.9}), "%4d"), "   3;  -3");
  EXPECT_EQ(text(array({true, false}), "<%s>"), "<True>;<False>");
  EXPECT_EQ(text(array({uint64_t{18446744073709551615u}}), "%d"),
            "18446744073709551615");
  EXPECT_EQ(text(array({0.1f}), "%g%%"), "0.1%");
}

TEST_P(TofileTest, AFormatWithoutOneConversionIsRefused) {
  const catena::testing::TempFolder folder;
  const std::string path = folder.file("a.txt");
  for (const char* format : {"", "%", "x", "%d %d", "%p", "%n", "%*d"}) {
    EXPECT_THROW(tofile(array({1}), path, {.sep = " ", .format = format}),
                 ValueError)
        << format;
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_P(TofileTest, AFolderThatIsMissingIsAnError) {
  const catena::testing::TempFolder folder;
  EXPECT_THROW(tofile(array({1}), folder.file("missing/a.bin")), IoError);
}

}  // namespace
}  // namespace catena::array
