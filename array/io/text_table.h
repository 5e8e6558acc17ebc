#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

// Tables in text files, plain or gzipped. Lines end with LF or CRLF; empty
// lines are skipped. Fields are separated by a delimiter, in which case they
// may be quoted as in RFC 4180 ("a ""b"", c" is one field), or by any run of
// blanks. Numbers are in C++ syntax regardless of the locale. Files are not
// trusted: corruption and anything beyond the limits throws IoError naming
// file, line, what was expected and what was found.
namespace catena::array {

struct LoadTextOptions {
  NamedFieldsOnly keywords = {};
  std::optional<char> delimiter = std::nullopt;  // nullopt: any run of blanks
  char comment = '#';     // starts a comment; '\0': no comments
  int64_t skip_rows = 0;  // lines to skip at the start
  std::optional<int64_t> max_rows = std::nullopt;
  std::vector<int64_t> columns = {};  // columns to read, in order; empty: all
  int min_dims = 0;                   // 0 to 2
  Dtype dtype = Dtype::kFloat64;
  LoadLimits limits = {};
};

// A numeric table of shape (rows, columns); as in NumPy, axes of extent 1 are
// dropped down to min_dims. Integer dtypes require integers. Throws IoError,
// IndexError for a missing column, ValueError for negative counts or min_dims >
// 2.
Array loadtxt(const std::string& path, const LoadTextOptions& options = {});

struct SaveTextOptions {
  NamedFieldsOnly keywords = {};
  std::string delimiter = " ";
  std::string header;          // lines before the data
  std::string comment = "# ";  // prefix of each header line
};

// Writes an array of 0 to 2 dimensions, one row per line (1-d: one element per
// line). Numbers have enough digits to be read back exactly. The write is
// atomic. Throws ShapeError, IoError.
void savetxt(const std::string& path, const Array& a,
             const SaveTextOptions& options = {});

// A column of a table: numeric, or text if some field is not a number.
struct TextColumn {
  std::string name;
  // 1-d: int64 if all fields are integers, else float64 with NaN for empty
  // fields. Undefined for text.
  Array numbers;
  std::vector<std::string> text;
};

struct ReadTableOptions {
  NamedFieldsOnly keywords = {};
  std::optional<char> delimiter = ',';
  char comment = '\0';
  int64_t skip_rows = 0;
  // Whether the first line has the column names; else they are f0, f1, ....
  bool header = true;
  // Whether to detect numeric columns; else all are text.
  bool numbers = true;
  LoadLimits limits = {};
};

// A table of numeric and text columns.
class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns, int64_t rows)
      : columns_(std::move(columns)), rows_(rows) {}

  int64_t rows() const { return rows_; }
  const std::vector<TextColumn>& columns() const& { return columns_; }
  std::vector<TextColumn> columns() && { return std::move(columns_); }
  // Columns by name. Throw IndexError naming the existing columns; numbers()
  // and text() also throw DtypeError for a column of the other kind.
  const TextColumn& column(std::string_view name) const&;
  TextColumn column(std::string_view name) && {
    return std::as_const(*this).column(name);
  }
  const Array& numbers(std::string_view name) const&;
  Array numbers(std::string_view name) && {
    return std::as_const(*this).numbers(name);
  }
  const std::vector<std::string>& text(std::string_view name) const&;
  std::vector<std::string> text(std::string_view name) && {
    return std::as_const(*this).text(name);
  }

 private:
  std::vector<TextColumn> columns_;
  int64_t rows_;
};

// Reads a table and detects its column types, like NumPy's genfromtxt with
// names=True and dtype=None. Arrays are on the current device. Throws IoError,
// also for duplicate column names.
TextTable read_table(const std::string& path,
                     const ReadTableOptions& options = {});

}  // namespace catena::array
