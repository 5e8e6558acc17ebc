#include "catena/array/io/text_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>
#include <set>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/line_reader.h"

namespace catena::array {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Parses the whole text as a number, if it is one.
template <class T>
std::optional<T> parse(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// Splits lines into fields.
class RecordReader {
 public:
  RecordReader(const std::string& path, std::string_view operation,
               std::optional<char> delimiter, char comment, int64_t skip_rows,
               const LoadLimits& limits)
      : lines_(path, operation, limits),
        delimiter_(delimiter),
        comment_(comment) {
    if (skip_rows < 0) {
      raise<ValueError>(operation, ": expected skip_rows of at least 0, got ",
                        skip_rows);
    }
    for (int64_t i = 0; i < skip_rows; ++i) {
      line_.clear();
      if (!lines_.append_to(line_)) break;
    }
  }

  // Reads the next nonempty line; returns false at the end.
  bool next() {
    do {
      line_.clear();
      if (!lines_.append_to(line_)) return false;
      number_ = lines_.number();
      fields_.clear();
      if (delimiter_) {
        split_at_delimiter();
      } else {
        split_at_blanks();
      }
    } while (fields_.empty());
    return true;
  }

  const std::vector<std::string>& fields() const { return fields_; }

  [[noreturn]] void fail(std::string_view expected,
                         std::string_view actual) const {
    raise<IoError>(lines_.where(), ": line ", number_, ": expected ", expected,
                   ", got ", actual);
  }

  void check_count(size_t expected) const {
    if (fields_.size() != expected) {
      fail(str(expected, " fields"), str(fields_.size()));
    }
  }

 private:
  bool is_comment(char c) const { return comment_ != '\0' && c == comment_; }

  void split_at_blanks() {
    std::string_view rest = line_;
    if (comment_ != '\0') rest = rest.substr(0, rest.find(comment_));
    while (!(rest = trimmed(rest)).empty()) {
      const auto end = static_cast<size_t>(
          std::find_if(rest.begin(), rest.end(), is_blank) - rest.begin());
      fields_.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
  }

  void split_at_delimiter() {
    size_t at = 0;
    for (;;) {
      std::string field;
      const size_t begin = at;
      while (at < line_.size() && is_blank(line_[at])) ++at;
      if (at < line_.size() && line_[at] == '"') {
        at = read_quoted(at + 1, field);
        while (at < line_.size() && is_blank(line_[at])) ++at;
      } else {
        at = begin;
        while (at < line_.size() && line_[at] != *delimiter_ &&
               !is_comment(line_[at])) {
          ++at;
        }
        field = line_.substr(begin, at - begin);
      }
      const bool ends = at == line_.size() || is_comment(line_[at]);
      if (ends && fields_.empty() && trimmed(field).empty() &&
          line_.find('"') == std::string::npos) {
        return;  // an empty line
      }
      fields_.push_back(std::move(field));
      if (ends) return;
      if (line_[at] != *delimiter_) {
        fail("a delimiter after the quotes",
             quote(std::string_view(line_).substr(at, 1)));
      }
      ++at;
    }
  }

  // Reads the rest of a quoted field from `at`, which may span lines; returns
  // the position after the closing quotes.
  size_t read_quoted(size_t at, std::string& field) {
    for (;;) {
      const size_t end = line_.find('"', at);
      field.append(line_, at, end - at);
      if (end == std::string::npos) {
        field += '\n';
        at = line_.size();
        if (!lines_.append_to(line_)) fail("closing quotes", "the file's end");
      } else if (end + 1 < line_.size() && line_[end + 1] == '"') {
        field += '"';
        at = end + 2;
      } else {
        return end + 1;
      }
    }
  }

  LineReader lines_;
  std::optional<char> delimiter_;
  char comment_;
  std::string line_;
  int64_t number_ = 0;
  std::vector<std::string> fields_;
};

// Checked before the next record is stored.
class ByteBudget {
 public:
  ByteBudget(const RecordReader& records, const LoadLimits& limits)
      : records_(records), rest_(limits.array_bytes) {}

  void spend(int64_t bytes) {
    rest_ -= bytes;
    if (rest_ < 0) {
      records_.fail("less than LoadLimits::array_bytes allows", "more");
    }
  }

 private:
  const RecordReader& records_;
  int64_t rest_;
};

// Fields of one dtype, parsed as the widest type of its kind.
template <class Wide>
Array read_numbers(RecordReader& records, const LoadTextOptions& options) {
  constexpr std::string_view kExpected =
      std::is_same_v<Wide, double> ? "a number" : "an integer";
  ByteBudget budget(records, options.limits);
  std::vector<Wide> values;
  size_t fields = 0;
  int64_t rows = 0;
  std::vector<int64_t> columns = options.columns;
  while (rows < options.max_rows.value_or(rows + 1) && records.next()) {
    if (rows == 0) {
      fields = records.fields().size();
      if (columns.empty()) {
        for (size_t i = 0; i < fields; ++i) {
          columns.push_back(static_cast<int64_t>(i));
        }
      }
      for (int64_t& column : columns) {
        const auto n = static_cast<int64_t>(fields);
        if (column < -n || column >= n) {
          raise<IndexError>("loadtxt: expected columns in [", -n, ", ", n,
                            "), got ", column);
        }
        if (column < 0) column += n;
      }
    }
    records.check_count(fields);
    budget.spend(static_cast<int64_t>(columns.size() * sizeof(Wide)));
    for (const int64_t column : columns) {
      const std::string& field = records.fields()[column];
      const std::optional<Wide> value = parse<Wide>(field);
      if (!value) records.fail(kExpected, quote(field));
      values.push_back(*value);
    }
    ++rows;
  }
  Shape shape = {rows, static_cast<int64_t>(columns.size())};
  if (rows == 0) shape[1] = 0;
  return copy_from(values.data(), shape, dtype_of<Wide>, native_device());
}

Array with_least_dims(const Array& table, int min_dims) {
  if (min_dims == 2) return table;
  const Array squeezed = table.squeeze();
  return squeezed.ndim() < min_dims ? squeezed.reshape({-1}) : squeezed;
}

template <class T>
void append_number(std::string& line, T value) {
  char text[64];
  const auto result = std::to_chars(text, text + sizeof(text), value);
  line.append(text, result.ptr);
}

void append_row(std::string& line, const Array& row,
                const std::string& delimiter) {
  visit_dtype(row.dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += delimiter;
      const T value = row.data<T>()[i];
      if constexpr (std::is_same_v<T, bool>) {
        line += value ? '1' : '0';
      } else if constexpr (std::is_same_v<T, float> ||
                           std::is_same_v<T, double>) {
        append_number(line, value);
      } else if constexpr (std::is_integral_v<T>) {
        append_number(line, int64_t{0} + value);
      } else {
        append_number(line, static_cast<float>(value));
      }
    }
  });
  line += '\n';
}

template <class T>
Array numbers_of(const std::vector<std::string>& fields) {
  const Array numbers = empty({static_cast<int64_t>(fields.size())},
                              dtype_of<T>, native_device());
  T* to = numbers.data<T>();
  for (const std::string& field : fields) {
    *to++ = parse<T>(field).value_or(std::numeric_limits<T>::quiet_NaN());
  }
  return numbers.to_device(current_device());
}

// A numeric column if requested and all fields are numbers, else text.
TextColumn make_column(std::string name, std::vector<std::string> fields,
                       const ReadTableOptions& options) {
  bool integers = options.numbers && !fields.empty();
  bool floats = options.numbers;
  for (const std::string& field : fields) {
    integers = integers && parse<int64_t>(field);
    floats = floats && (trimmed(field).empty() || parse<double>(field));
  }
  TextColumn column;
  column.name = std::move(name);
  if (integers) {
    column.numbers = numbers_of<int64_t>(fields);
  } else if (floats) {
    column.numbers = numbers_of<double>(fields);
  } else {
    column.text = std::move(fields);
  }
  return column;
}

}  // namespace

Array loadtxt(const std::string& path, const LoadTextOptions& options) try {
  if (options.min_dims < 0 || options.min_dims > 2 ||
      options.max_rows.value_or(0) < 0) {
    raise<ValueError>(
        "loadtxt: expected min_dims of 0 to 2 and max_rows of at least 0, got ",
        options.min_dims, " and ", options.max_rows.value_or(0));
  }
  RecordReader records(path, "loadtxt", options.delimiter, options.comment,
                       options.skip_rows, options.limits);
  Array table;
  if (is_floating(options.dtype)) {
    table = read_numbers<double>(records, options)
                .astype(options.dtype, Array::CopyPolicy::kIfNeeded);
  } else if (options.dtype == Dtype::kUInt64) {
    table = read_numbers<uint64_t>(records, options);
  } else {
    const Array wide = read_numbers<int64_t>(records, options);
    // Scalars check their range.
    for (int64_t i = 0; i < wide.size(); ++i) {
      alignas(8) char item[8];
      Scalar(wide.data<int64_t>()[i]).store(item, options.dtype, "loadtxt");
    }
    table = wide.astype(options.dtype, Array::CopyPolicy::kIfNeeded);
  }
  return with_least_dims(table, options.min_dims).to_device(current_device());
} catch (const std::bad_alloc&) {
  raise_out_of_memory("loadtxt");
}

void savetxt(const std::string& path, const Array& a,
             const SaveTextOptions& options) try {
  if (a.ndim() > 2) {
    raise<ShapeError>("savetxt: expected at most 2 dimensions, got shape ",
                      a.shape());
  }
  const Array host = a.to_device(native_device()).contiguous();
  const Array table = host.ndim() == 2 ? host : host.reshape({host.size(), 1});
  AtomicFile file(path, "savetxt");
  std::string text;
  if (!options.header.empty()) {
    std::string_view header = options.header;
    for (;;) {
      const size_t end = header.find('\n');
      text += options.comment;
      text += header.substr(0, end);
      text += '\n';
      if (end == std::string_view::npos) break;
      header.remove_prefix(end + 1);
    }
  }
  for (int64_t i = 0; i < table.shape()[0]; ++i) {
    append_row(text, table[i], options.delimiter);
    if (text.size() >= 64 << 10) {
      file.write(text);
      text.clear();
    }
  }
  file.write(text);
  file.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("savetxt");
}

const TextColumn& TextTable::column(std::string_view name) const& {
  const auto found = std::find_if(
      columns_.begin(), columns_.end(),
      [&](const TextColumn& column) { return column.name == name; });
  if (found != columns_.end()) return *found;
  std::string names;
  for (const TextColumn& column : columns_) {
    names += names.empty() ? "" : ", ";
    names += quote(column.name);
  }
  raise<IndexError>("TextTable: expected one of the columns ", names, ", got ",
                    quote(name));
}

const Array& TextTable::numbers(std::string_view name) const& {
  const TextColumn& found = column(name);
  if (!found.numbers.defined()) {
    raise<DtypeError>("TextTable: expected numbers in column ", quote(name),
                      ", got text");
  }
  return found.numbers;
}

const std::vector<std::string>& TextTable::text(std::string_view name) const& {
  const TextColumn& found = column(name);
  if (found.numbers.defined()) {
    raise<DtypeError>("TextTable: expected text in column ", quote(name),
                      ", got numbers of dtype ", found.numbers.dtype());
  }
  return found.text;
}

TextTable read_table(const std::string& path,
                     const ReadTableOptions& options) try {
  RecordReader records(path, "read_table", options.delimiter, options.comment,
                       options.skip_rows, options.limits);
  ByteBudget budget(records, options.limits);
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;
  int64_t rows = 0;
  bool first = true;
  while (records.next()) {
    if (std::exchange(first, false)) {
      columns.resize(records.fields().size());
      if (options.header) {
        for (const std::string& field : records.fields()) {
          names.emplace_back(trimmed(field));
        }
        const std::set<std::string> distinct(names.begin(), names.end());
        if (distinct.size() < names.size()) {
          records.fail("distinct column names", "a duplicate");
        }
        continue;
      }
      for (size_t i = 0; i < columns.size(); ++i) names.push_back(str("f", i));
    }
    records.check_count(columns.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string& field = records.fields()[i];
      budget.spend(static_cast<int64_t>(sizeof(std::string) + field.size()));
      columns[i].push_back(field);
    }
    ++rows;
  }
  std::vector<TextColumn> result;
  for (size_t i = 0; i < columns.size(); ++i) {
    result.push_back(
        make_column(std::move(names[i]), std::move(columns[i]), options));
  }
  return TextTable(std::move(result), rows);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_table");
}

}  // namespace catena::array
