#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

// Tables in text files, which may be compressed by gzip. Lines end with LF or
// CRLF; empty ones are left out. Fields are separated by a character, or by any
// run of blanks; with a character they may be quoted, as RFC 4180 has it:
// "a ""b"", c" is one field. Numbers are written as in C++, whatever the
// locale. Files are taken as hostile: what exceeds the limits or is damaged is
// an IoError that names file, line, what was expected and what came.
namespace catena::array {

struct LoadTextOptions {
  std::optional<char> delimiter =
      std::nullopt;       // defaults to any run of blanks
  char comment = '#';     // begins what is left out; '\0': nothing does
  int64_t skip_rows = 0;  // lines to leave out at the start
  std::optional<int64_t> max_rows = std::nullopt;
  std::vector<int64_t> columns = {};  // those to read, in this order; or all
  int min_dims = 0;                   // 0 to 2
  Dtype dtype = Dtype::kFloat64;
  LoadLimits limits = {};
};

// A table of numbers of shape (rows, columns); unless min_dims is 2, an axis of
// extent 1 is left out, as in NumPy. Integer dtypes want integers.
// IoError; IndexError for a column that the file lacks; ValueError for negative
// counts or min_dims beyond 2.
Array loadtxt(const std::string& path, const LoadTextOptions& options = {});

struct SaveTextOptions {
  std::string delimiter = " ";
  std::string header;          // lines to write first
  std::string comment = "# ";  // before each of them
};

// Writes an array of 0 to 2 dimensions, a row to a line (of one dimension: an
// element to a line). Numbers have as many digits as it takes to read them back
// exactly. The file appears complete or not at all. ShapeError, IoError.
void savetxt(const std::string& path, const Array& a,
             const SaveTextOptions& options = {});

// A column of a table: numbers, or text when some field is no number.
struct TextColumn {
  std::string name;
  // One dimension: int64 when all fields are integers, else float64, with NaN
  // for empty fields. Undefined for text.
  Array numbers;
  std::vector<std::string> text;
};

struct ReadTableOptions {
  std::optional<char> delimiter = ',';
  char comment = '\0';
  int64_t skip_rows = 0;
  // Whether the first line has the columns' names; else they are f0, f1, ....
  bool header = true;
  // Whether columns of numbers are found out; else all are text.
  bool numbers = true;
  LoadLimits limits = {};
};

// A table whose columns are of different kinds.
class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns, int64_t rows)
      : columns_(std::move(columns)), rows_(rows) {}

  int64_t rows() const { return rows_; }
  const std::vector<TextColumn>& columns() const { return columns_; }
  // By name. IndexError naming the columns that there are; numbers() and text()
  // also throw DtypeError when the column holds the other.
  const TextColumn& column(std::string_view name) const;
  const Array& numbers(std::string_view name) const;
  const std::vector<std::string>& text(std::string_view name) const;

 private:
  std::vector<TextColumn> columns_;
  int64_t rows_;
};

// Reads a table and finds out what its columns hold, as NumPy's genfromtxt
// does with names=True and dtype=None. Arrays are in the current device's
// memory. IoError, also when two columns have one name.
TextTable read_table(const std::string& path,
                     const ReadTableOptions& options = {});

}  // namespace catena::array
