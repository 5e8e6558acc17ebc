#include "catena/array/io/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/support/gzip.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::gzip;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::TempFolder;
using testing::write_file;

class TextTableTest : public ::testing::Test {
 protected:
  std::string write(const std::string& bytes) const {
    write_file(folder_.file("file"), bytes);
    return folder_.file("file");
  }
  std::string written() const {
    std::ifstream file(folder_.file("out"));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  TempFolder folder_;
};

TEST_F(TextTableTest, ReadsNumbersBetweenBlanksOrDelimiters) {
  const Array expected = array({{1.0, -2.5}, {3e2, 0.25}});
  EXPECT_THAT(loadtxt(write("1 -2.5\n3e2\t +.25\n")), IsArray(expected));
  EXPECT_THAT(loadtxt(write("# a b\n\n  1 -2.5 # c\r\n3e2 .25\r\n\r\n\n")),
              IsArray(expected));
  const LoadTextOptions commas{.delimiter = ','};
  EXPECT_THAT(loadtxt(write("1,-2.5\n3e2, +.25"), commas), IsArray(expected));
  EXPECT_THAT(loadtxt(write("1,\"-2.5\"\n3e2,.25#x\n"), commas),
              IsArray(expected));
  EXPECT_THAT(loadtxt(write(gzip("1,-2.5\n3e2,.25\n")), commas),
              IsArray(expected));
  EXPECT_THAT(loadtxt(write("a;b\n1;-2.5\n3e2;.25"),
                      {.delimiter = ';', .skip_rows = 1}),
              IsArray(expected));
  EXPECT_THAT(loadtxt(write("\"1\" ,-2.5\n \"3e2\"\t,.25\n"), commas),
              IsArray(expected));
  const Array special = loadtxt(write("nan inf -inf"));
  EXPECT_TRUE(std::isnan(special[0].item<double>()));
  EXPECT_EQ(special[1].item<double>(), HUGE_VAL);
  EXPECT_EQ(special[2].item<double>(), -HUGE_VAL);
}

TEST_F(TextTableTest, LeavesOutAxesOfExtentOneAsNumpyDoes) {
  EXPECT_THAT(loadtxt(write("1 2 3\n")), IsArray(array({1.0, 2.0, 3.0})));
  EXPECT_THAT(loadtxt(write("1\n2\n")), IsArray(array({1.0, 2.0})));
  EXPECT_THAT(loadtxt(write("7\n")), IsArray(array(7.0)));
  EXPECT_THAT(loadtxt(write("7\n"), {.min_dims = 1}), IsArray(array({7.0})));
  EXPECT_THAT(loadtxt(write("1\n2\n"), {.min_dims = 2}),
              IsArray(array({{1.0}, {2.0}})));
  EXPECT_EQ(loadtxt(write(""), {.min_dims = 2}).shape(), (Shape{0, 0}));
}

TEST_F(TextTableTest, ReadsChosenRowsAndColumnsInAnyDtype) {
  const std::string file = write("1 2 3\n4 5 6\n7 8 9\n");
  EXPECT_THAT(loadtxt(file, {.max_rows = 2, .columns = {2, -3}}),
              IsArray(array({{3.0, 1.0}, {6.0, 4.0}})));
  EXPECT_THAT(loadtxt(file, {.skip_rows = 2, .dtype = Dtype::kInt16}),
              IsArray(array({7, 8, 9}, Dtype::kInt16)));
  EXPECT_THAT(loadtxt(write("18446744073709551615"), {.dtype = Dtype::kUInt64})
                  .item<uint64_t>(),
              std::numeric_limits<uint64_t>::max());
  EXPECT_THAT(loadtxt(file, {.max_rows = 0, .min_dims = 2}).shape(),
              Shape({0, 0}));
  EXPECT_THAT(loadtxt(file, {.skip_rows = 9, .min_dims = 2}).shape(),
              Shape({0, 0}));
}

TEST_F(TextTableTest, SenselessOptionsAreNamed) {
  const std::string file = write("1 2 3\n");
  LoadTextOptions negative_rows;
  negative_rows.max_rows = -1;
  for (const LoadTextOptions& options :
       {LoadTextOptions{.min_dims = -1}, LoadTextOptions{.min_dims = 3},
        negative_rows}) {
    EXPECT_THAT(error_of<ValueError>([&] { loadtxt(file, options); }),
                HasSubstr(str(
                    "min_dims of 0 to 2 and max_rows of at least 0, got ",
                    options.min_dims, " and ", options.max_rows.value_or(0))));
  }
  for (const int64_t column : {-4, 3}) {
    EXPECT_THAT(
        error_of<IndexError>([&] { loadtxt(file, {.columns = {column}}); }),
        HasSubstr(str("expected columns in [-3, 3), got ", column)));
  }
}

TEST_F(TextTableTest, AnEmptyFieldInQuotesIsNoEmptyLine) {
  const TextTable table = read_table(write("word\n\"\"\n\nb\n"));
  EXPECT_THAT(table.text("word"), ElementsAre("", "b"));
}

TEST_F(TextTableTest, WritesLongFilesInPieces) {
  const Array a = arange(20'000, Dtype::kInt32);
  savetxt(folder_.file("out"), a);
  EXPECT_THAT(loadtxt(folder_.file("out"), {.dtype = Dtype::kInt32}),
              IsArray(a));
}

TEST_F(TextTableTest, ATableThatEndsGivesItsColumnsAway) {
  const std::string file = write("x,word\n1,a\n2,b\n");
  const TextColumn column = read_table(file).column("x");
  EXPECT_THAT(column.numbers, IsArray(array({1, 2}, Dtype::kInt64)));
  EXPECT_THAT(read_table(file).numbers("x"), IsArray(column.numbers));
  EXPECT_THAT(read_table(file).text("word"), ElementsAre("a", "b"));
}

TEST_F(TextTableTest, LongFilesComeInPieces) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i) + ",1\n";
  const Array table = loadtxt(write(text), {.delimiter = ','});
  ASSERT_EQ(table.shape(), (Shape{30'000, 2}));
  for (const int64_t row : {0, 12'345, 29'999}) {
    EXPECT_EQ(table[row][0].item<int64_t>(), row);
  }
}

TEST_F(TextTableTest, NamesTheLineAndWhatIsWrong) {
  const auto expect_error = [&](const std::string& text, const char* message,
                                Dtype dtype = Dtype::kFloat64) {
    const std::string file = write(text);
    EXPECT_THAT(error_of<IoError>(
                    [&] { loadtxt(file, {.delimiter = ',', .dtype = dtype}); }),
                AllOf(HasSubstr("loadtxt: "), HasSubstr(message)));
  };
  expect_error("1,2\n3,x\n", "line 2: expected a number, got 'x'");
  expect_error("1,2\n3,\n", "line 2: expected a number, got ''");
  expect_error("1,2\n3,+-5\n", "line 2: expected a number, got '+-5'");
  expect_error("1,2\n\n3,4 5\n", "line 3: expected a number, got '4 5'");
  expect_error("1,2\n3\n", "line 2: expected 2 fields, got 1");
  expect_error("1\n2e999\n", "line 2: expected a number");
  expect_error("1\n2.5\n", "line 2: expected an integer, got '2.5'",
               Dtype::kInt32);
  expect_error("1,\"2\n", "line 1: expected closing quotes, got the file's");
  expect_error("1,\"2\"3\n", "line 1: expected a delimiter after the quotes");
  expect_error(std::string(100'000, '1'), "lines of at most 65536 bytes");
  EXPECT_THAT(error_of<DtypeError>(
                  [&] { loadtxt(write("300"), {.dtype = Dtype::kInt8}); }),
              HasSubstr("loadtxt"));
  EXPECT_THAT(
      error_of<IndexError>([&] { loadtxt(write("1 2"), {.columns = {2}}); }),
      HasSubstr("loadtxt: expected columns in [-2, 2), got 2"));
  EXPECT_THROW(loadtxt(write("1"), {.skip_rows = -1}), ValueError);
  EXPECT_THROW(loadtxt(write("1"), {.min_dims = 3}), ValueError);
  EXPECT_THROW(loadtxt(folder_.file("missing")), IoError);
}

TEST_F(TextTableTest, KeepsTheLimits) {
  const std::string file = write("1,2\n3,4\n");
  EXPECT_NO_THROW(
      loadtxt(file, {.delimiter = ',', .limits = {.array_bytes = 32}}));
  EXPECT_THROW(loadtxt(file, {.delimiter = ',', .limits = {.array_bytes = 31}}),
               IoError);
  const std::string bomb = write(gzip(std::string(1 << 20, '\n')));
  EXPECT_THROW(loadtxt(bomb, {.limits = {.compression_ratio = 10}}), IoError);
}

TEST_F(TextTableTest, WhatIsSavedReadsBackExactly) {
  const std::string out = folder_.file("out");
  const Array a = array({{0.1, -1e-300}, {1.0 / 3, 12345678.0}});
  savetxt(out, a);
  EXPECT_THAT(loadtxt(out), IsArray(a));
  savetxt(out, a.T(), {.delimiter = ",", .header = "x,y\nz"});
  EXPECT_THAT(loadtxt(out, {.delimiter = ','}), IsArray(a.T()));
  EXPECT_TRUE(written().starts_with("# x,y\n# z\n0.1,")) << written();
  savetxt(out, array({0.1f, 2.5f}));
  EXPECT_EQ(written(), "0.1\n2.5\n");
  savetxt(out, array({{1, -2}, {3, 4}}, Dtype::kInt8));
  EXPECT_EQ(written(), "1 -2\n3 4\n");
  savetxt(out, array({{true, false}}));
  EXPECT_EQ(written(), "1 0\n");
  savetxt(out, array({1.5}, Dtype::kBFloat16));
  EXPECT_EQ(written(), "1.5\n");
  EXPECT_THAT(
      error_of<ShapeError>([&] {
        savetxt(out, zeros({1, 1, 1}));
      }),
      HasSubstr("savetxt: expected at most 2 dimensions, got shape (1, 1, 1)"));
  EXPECT_EQ(written(), "1.5\n");
}

TEST_F(TextTableTest, FindsOutWhatColumnsHold) {
  const TextTable table =
      read_table(write("name, age ,weight,note\n"
                       "Ann,31,60.5,\"says \"\"hi\"\", twice\"\n"
                       "\"Bob\nJr.\",45,,\n"));
  EXPECT_EQ(table.rows(), 2);
  ASSERT_EQ(table.columns().size(), 4);
  EXPECT_THAT(table.text("name"), ElementsAre("Ann", "Bob\nJr."));
  EXPECT_THAT(table.numbers("age"), IsArray(array({31, 45})));
  EXPECT_EQ(table.numbers("weight")[0].item<double>(), 60.5);
  EXPECT_TRUE(std::isnan(table.numbers("weight")[1].item<double>()));
  EXPECT_THAT(table.text("note"), ElementsAre("says \"hi\", twice", ""));
  EXPECT_THAT(error_of<IndexError>([&] { table.column("size"); }),
              HasSubstr("expected one of the columns 'name', 'age', "
                        "'weight', 'note', got 'size'"));
  EXPECT_THAT(error_of<DtypeError>([&] { table.numbers("name"); }),
              HasSubstr("expected numbers in column 'name', got text"));
  EXPECT_THAT(error_of<DtypeError>([&] { table.text("age"); }),
              HasSubstr("dtype int64"));
}

// The end of a line takes one carriage return of its own, none of the last
// line's.
TEST_F(TextTableTest, QuotedFieldsKeepCarriageReturns) {
  const TextTable table = read_table(write("a\n\"x\r\r\n\r\n\ny\"\n"));
  EXPECT_THAT(table.text("a"), ElementsAre("x\r\n\n\ny"));
}

TEST_F(TextTableTest, NumbersStayTextWhenTheyAreCategories) {
  const TextTable table =
      read_table(write("zip,name\n01067,a\n,b\n"), {.numbers = false});
  EXPECT_THAT(table.text("zip"), ::testing::ElementsAre("01067", ""));
}

TEST_F(TextTableTest, TablesWithoutHeaderHaveNumberedColumns) {
  const TextTable table = read_table(
      write("1 a\n2 b\n"), {.delimiter = std::nullopt, .header = false});
  EXPECT_THAT(table.numbers("f0"), IsArray(array({1, 2})));
  EXPECT_THAT(table.text("f1"), ElementsAre("a", "b"));
  EXPECT_EQ(read_table(write("")).columns().size(), 0);
  EXPECT_EQ(read_table(write("a,b\n")).numbers("b").shape(), Shape({0}));
  EXPECT_THAT(error_of<IoError>([&] { read_table(write("a,a\n1,2\n")); }),
              HasSubstr("distinct column names"));
  EXPECT_THAT(error_of<IoError>([&] { read_table(write("a,b\n1\n")); }),
              HasSubstr("line 2: expected 2 fields, got 1"));
}

TEST_F(TextTableTest, MutatedFilesNeverCrash) {
  std::mt19937 random(1);
  for (const std::string& seed : {std::string("a,\"b\"\n1,-2.5\n\"4\",5e3\n"),
                                  gzip("a,\"b\"\n1,-2.5\n\"4\",5e3\n")}) {
    for (int i = 0; i < 500; ++i) {
      std::string bytes = seed;
      for (int k = random() % 4; k >= 0; --k) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      bytes.resize(bytes.size() - random() % 3);
      const std::string file = write(bytes);
      try {
        loadtxt(file, {.delimiter = ','});
      } catch (const Error&) {
      }
      try {
        read_table(file);
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace catena::array
