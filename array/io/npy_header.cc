#include "catena/array/io/npy_header.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/checked_byte_count.h"
#include "catena/array/io/little_endian.h"

namespace catena::array {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int64_t kAlignment = 64;
constexpr char kNativeOrder =
    std::endian::native == std::endian::little ? '<' : '>';

// The three entries as written, not yet validated.
struct Fields {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<int64_t>> shape;
};

// Parses the header's Python dict: distinct string keys with strings, booleans
// or tuples of integers as values. What NumPy would not take is refused.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, int version, std::string_view where)
      : text_(text), version_(version), where_(where) {}

  Fields parse() {
    Fields fields;
    // To Python, space in front of a second line would be indentation.
    const std::string_view front = text_.substr(0, text_.find('{'));
    if (front.find('\n') != std::string_view::npos) fail("'{'", rest());
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      expect(':');
      if (key == "descr") {
        set(fields.descr, key, parse_descr());
      } else if (key == "fortran_order") {
        set(fields.fortran_order, key, parse_bool());
      } else if (key == "shape") {
        set(fields.shape, key, parse_shape());
      } else {
        fail("the keys descr, fortran_order and shape", quote(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip(" \t");
    skip("\n");  // space in another line would be indentation, too
    if (position_ != text_.size()) fail("nothing after the dict", rest());
    return fields;
  }

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view got) {
    raise<IoError>(where_, ": header: expected ", expected, ", got ", got);
  }

  std::string rest() const {
    constexpr size_t kMax = 24;
    return position_ == text_.size() ? "its end"
                                     : quote(text_.substr(position_, kMax));
  }

  void skip(std::string_view characters) {
    position_ =
        std::min(text_.find_first_not_of(characters, position_), text_.size());
  }
  void skip_space() { skip(" \t\n"); }

  bool accept(std::string_view token) {
    skip_space();
    if (!text_.substr(position_).starts_with(token)) return false;
    position_ += token.size();
    return true;
  }
  bool accept(char c) { return accept(std::string_view(&c, 1)); }
  void expect(char c) {
    if (!accept(c)) fail(quote(std::string_view(&c, 1)), rest());
  }

  template <class T>
  void set(std::optional<T>& field, std::string_view key, T value) {
    if (field) fail("each key once", str(quote(key), " twice"));
    field = std::move(value);
  }

  std::string parse_string() {
    const char mark = accept('\'') ? '\'' : '"';
    if (mark == '"' && !accept('"')) fail("a string", rest());
    const size_t end = text_.find(mark, position_);
    if (end == std::string_view::npos) fail("a closing quote", "its end");
    const std::string_view content = text_.substr(position_, end - position_);
    if (content.find('\\') != std::string_view::npos) {
      fail("a string without escapes", quote(content));
    }
    position_ = end + 1;
    return std::string(content);
  }

  std::string parse_descr() {
    if (accept('[')) {
      fail("a dtype of one field",
           "a structured dtype, which is not supported");
    }
    return parse_string();
  }

  bool parse_bool() {
    if (accept("True")) return true;
    if (accept("False")) return false;
    fail("True or False", rest());
  }

  std::vector<int64_t> parse_shape() {
    std::vector<int64_t> shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(parse_extent());
      if (!accept(',')) {
        // Python's (3) is a number, not a tuple.
        if (shape.size() == 1) fail("',' after a lone extent", rest());
        expect(')');
        break;
      }
    }
    return shape;
  }

  int64_t parse_extent() {
    skip_space();
    int64_t value = 0;
    const char* const begin = text_.data() + position_;
    const char* const text_end = text_.data() + text_.size();
    const auto [end, error] = std::from_chars(begin, text_end, value);
    // A number that begins with 0 would be octal in Python 2.
    if (error != std::errc() || *begin == '-' ||
        (*begin == '0' && end != begin + 1)) {
      fail("an extent from 0 to 2^63 - 1", rest());
    }
    position_ += end - begin;
    // As Python 2 writes long integers.
    if (version_ < 3 && end != text_end && *end == 'L') ++position_;
    return value;
  }

  std::string_view text_;
  int version_;
  std::string_view where_;
  size_t position_ = 0;
};

// Sets item, dtype, item_bytes and swapped from a type string such as "<f4".
void set_item(NpyHeader& header, std::string_view descr,
              const std::string& where) {
  const auto unsupported = [&]() {
    raise<IoError>(where, ": dtype ", quote(descr),
                   " is not supported: expected bool, int8 to int64, uint8 to "
                   "uint64, float16, float32, float64 or text");
  };
  std::string_view code = descr;
  if (code.empty() ||
      std::string_view("<>|=").find(code.front()) == std::string_view::npos) {
    unsupported();
  }
  const char order = code.front();
  code.remove_prefix(1);
  if (code == "O") {
    header.item = NpyItem::kObject;
    return;
  }
  if (code.empty()) unsupported();
  int64_t count = 0;
  const auto [end, error] =
      std::from_chars(code.data() + 1, code.data() + code.size(), count);
  constexpr int64_t kMaxCharacters = int64_t{1} << 40;
  if (error != std::errc() || end != code.data() + code.size() || count < 0 ||
      count > kMaxCharacters) {
    unsupported();
  }
  if (code.front() == 'U' || code.front() == 'S') {
    const bool unicode = code.front() == 'U';
    header.item = unicode ? NpyItem::kUnicode : NpyItem::kBytes;
    header.item_bytes = count * (unicode ? 4 : 1);
  } else {
    try {
      header.dtype = dtype_from_name(descr);
    } catch (const DtypeError&) {
      unsupported();
    }
    header.item_bytes = item_size(header.dtype);
  }
  header.swapped = (order == '<' || order == '>') && order != kNativeOrder;
}

// Sets shape and size.
void set_shape(NpyHeader& header, const std::vector<int64_t>& extents,
               const LoadLimits& limits, const std::string& where) {
  const auto ndim = static_cast<int64_t>(extents.size());
  const int max = std::min(limits.dims, kMaxDims);
  if (ndim > max) {
    raise<IoError>(where, ": expected at most ", max, " axes, got ", ndim);
  }
  header.shape = Shape(extents);
  const auto bytes =
      checked_byte_count(extents, std::max<int64_t>(header.item_bytes, 1));
  if (!bytes || *bytes > limits.array_bytes) {
    raise<IoError>(where, ": expected an array of at most ", limits.array_bytes,
                   " bytes (LoadLimits::array_bytes), got shape ", header.shape,
                   " of ", header.item_bytes, "-byte items");
  }
  header.size = 1;
  for (const int64_t extent : extents) header.size *= extent;
}

void check_data_bytes(const NpyHeader& header, int64_t remaining,
                      const std::string& where) {
  if (header.item == NpyItem::kObject) return;
  if (header.item_bytes == 0 && header.size > 1) {
    raise<IoError>(where, ": expected text of at least one character, got ",
                   header.size, " items without any");
  }
  const int64_t expected = header.size * header.item_bytes;
  if (remaining != expected) {
    raise<IoError>(where, ": expected ", expected, " bytes of data for shape ",
                   header.shape, " of ", header.item_bytes, "-byte items, got ",
                   remaining);
  }
}

int64_t read_little_endian(ByteStream& stream, size_t bytes) {
  char buffer[4] = {};
  const std::span<char> number = std::span(buffer).first(bytes);
  stream.read(number);
  return static_cast<int64_t>(little_endian(number));
}

}  // namespace

NpyHeader read_npy_header(ByteStream& stream, const LoadLimits& limits) {
  const std::string where = stream.where();
  char start[8] = {};
  const int64_t available =
      std::min<int64_t>(stream.remaining(), sizeof(start));
  stream.read({start, static_cast<size_t>(available)});
  if (std::string_view(start, kMagic.size()) != kMagic) {
    raise<IoError>(where, ": expected a .npy file, which starts with ",
                   quote("\\x93NUMPY"), ", got ",
                   available == 0
                       ? "an empty file"
                       : quote({start, static_cast<size_t>(available)}));
  }
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3 || start[7] != 0) {
    raise<IoError>(where, ": expected .npy version 1.0, 2.0 or 3.0, got ",
                   version, ".", static_cast<unsigned char>(start[7]));
  }
  const int64_t length = read_little_endian(stream, version == 1 ? 2 : 4);
  if (length > limits.header_bytes || length > stream.remaining()) {
    raise<IoError>(where, ": expected a header of at most ",
                   std::min(limits.header_bytes, stream.remaining()),
                   " bytes, got ", length);
  }
  std::string text(static_cast<size_t>(length), '\0');
  stream.read(text);
  const Fields fields = HeaderParser(text, version, where).parse();
  if (!fields.descr || !fields.fortran_order || !fields.shape) {
    raise<IoError>(where,
                   ": header: expected the keys descr, fortran_order and "
                   "shape, got ",
                   quote(text));
  }
  NpyHeader header;
  set_item(header, *fields.descr, where);
  header.fortran_order = *fields.fortran_order;
  set_shape(header, *fields.shape, limits, where);
  check_data_bytes(header, stream.remaining(), where);
  return header;
}

std::string npy_header(std::string_view descr, const Shape& shape,
                       int64_t min_bytes) {
  const std::string text =
      str("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape,
          ", }");
  const auto prefix = static_cast<int64_t>(kMagic.size()) + 2 + 2;
  const int64_t used = prefix + static_cast<int64_t>(text.size()) + 1;
  const int64_t total =
      (std::max(used, min_bytes) + kAlignment - 1) / kAlignment * kAlignment;
  const int64_t length = total - prefix;
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(length & 0xff),
             static_cast<char>(length >> 8)};
  header += text;
  header.append(static_cast<size_t>(total - used), ' ');
  header += '\n';
  return header;
}

std::string npy_descr(Dtype dtype, std::string_view operation) {
  if (dtype == Dtype::kBFloat16) {
    raise<DtypeError>(operation,
                      ": the .npy format has no bfloat16; save "
                      "astype(Dtype::kFloat32), which holds every value");
  }
  const int64_t size = item_size(dtype);
  const char kind = "biuf"[static_cast<int>(kind_of(dtype))];
  return {size == 1 ? '|' : kNativeOrder, kind, static_cast<char>('0' + size)};
}

}  // namespace catena::array
