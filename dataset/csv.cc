#include "catena/dataset/csv.h"

#include <charconv>
#include <string_view>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/io/quote.h"
#include "catena/dataset/decompressed_file.h"

namespace catena::dataset {
namespace {

class Table {
 public:
  Table(const std::string& where, const ReadCsvOptions& options)
      : where_(where), options_(options) {}

  void add_line(std::string_view line) {
    ++line_number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line_number_ <= options_.skip_header) return;
    if (line.empty()) {
      first_empty_ = first_empty_ == 0 ? line_number_ : first_empty_;
      return;
    }
    if (first_empty_ != 0) fail(first_empty_, "numbers", "an empty line");
    const size_t before = values_.size();
    size_t begin = 0;
    while (begin <= line.size()) {
      const size_t end =
          std::min(line.find(options_.delimiter, begin), line.size());
      values_.push_back(number(line.substr(begin, end - begin)));
      begin = end + 1;
    }
    const auto columns = static_cast<int64_t>(values_.size() - before);
    if (rows_ == 0) columns_ = columns;
    if (columns != columns_) {
      fail(line_number_, str(columns_, " numbers"), str(columns));
    }
    ++rows_;
    const auto bytes = static_cast<int64_t>(values_.size() * sizeof(double));
    if (bytes > options_.limits.array_bytes) {
      fail(line_number_, "less than the limits allow", str(bytes, " bytes"));
    }
  }

  Array array() const {
    return array::copy_from(values_.data(), {rows_, columns_}, Dtype::kFloat64,
                            native_device());
  }

 private:
  double number(std::string_view text) const {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    double value = 0;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) {
      fail(line_number_, "a number", array::quote(text));
    }
    return value;
  }

  [[noreturn]] void fail(int64_t line, std::string_view expected,
                         std::string_view actual) const {
    raise<IoError>(where_, ": line ", line, ": expected ", expected, ", got ",
                   actual);
  }

  std::string where_;
  const ReadCsvOptions& options_;
  int64_t line_number_ = 0;
  int64_t first_empty_ = 0;
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  std::vector<double> values_;
};

}  // namespace

Array read_csv(const std::string& path, const ReadCsvOptions& options) {
  DecompressedFile file(path, "read_csv", options.limits);
  Table table(file.where(), options);
  std::string pending;
  std::vector<char> buffer(64 << 10);
  while (const size_t size = file.read_some(buffer)) {
    pending.append(buffer.data(), size);
    size_t begin = 0;
    for (size_t end = 0; (end = pending.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      table.add_line(std::string_view(pending).substr(begin, end - begin));
    }
    pending.erase(0, begin);
    if (static_cast<int64_t>(pending.size()) > options.limits.header_bytes) {
      raise<IoError>(file.where(), ": expected lines of at most ",
                     options.limits.header_bytes, " bytes");
    }
  }
  if (!pending.empty()) table.add_line(pending);
  return table.array();
}

}  // namespace catena::dataset
