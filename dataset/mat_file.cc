#include "catena/dataset/mat_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/checked_byte_count.h"
#include "catena/array/io/inflate_stream.h"

namespace catena::dataset {
namespace {

constexpr int64_t kHeaderBytes = 128;
constexpr int64_t kTagBytes = 8;

// Element types.
constexpr uint32_t kInt8 = 1;
constexpr uint32_t kInt32 = 5;
constexpr uint32_t kUInt32 = 6;
constexpr uint32_t kMatrix = 14;
constexpr uint32_t kCompressed = 15;

// Storage types of numbers.
std::optional<Dtype> dtype_of_type(uint32_t type) {
  switch (type) {
    case kInt8:
      return Dtype::kInt8;
    case 2:
      return Dtype::kUInt8;
    case 3:
      return Dtype::kInt16;
    case 4:
      return Dtype::kUInt16;
    case kInt32:
      return Dtype::kInt32;
    case kUInt32:
      return Dtype::kUInt32;
    case 7:
      return Dtype::kFloat32;
    case 9:
      return Dtype::kFloat64;
    case 12:
      return Dtype::kInt64;
    case 13:
      return Dtype::kUInt64;
  }
  return std::nullopt;
}

// Numeric array classes.
std::optional<Dtype> dtype_of_class(uint32_t array_class) {
  constexpr std::array kFromDouble = {
      Dtype::kFloat64, Dtype::kFloat32, Dtype::kInt8,  Dtype::kUInt8,
      Dtype::kInt16,   Dtype::kUInt16,  Dtype::kInt32, Dtype::kUInt32,
      Dtype::kInt64,   Dtype::kUInt64};
  constexpr uint32_t kDouble = 6;
  if (array_class < kDouble || array_class >= kDouble + kFromDouble.size()) {
    return std::nullopt;
  }
  return kFromDouble[array_class - kDouble];
}

void swap_items(char* bytes, int64_t count, int64_t item_size) {
  for (int64_t i = 0; i < count; ++i, bytes += item_size) {
    std::reverse(bytes, bytes + item_size);
  }
}

// A sequence of elements: a type, a number of bytes, those bytes, and padding
// to a multiple of 8. Up to 4 bytes may be stored in the tag.
class Elements {
 public:
  Elements(array::ByteStream& stream, bool swapped)
      : stream_(stream), swapped_(swapped) {}

  struct Tag {
    uint32_t type;
    int64_t bytes;
  };

  // Advances to the content of the next element.
  Tag next() {
    stream_.read(tag_);
    const uint32_t first = number(tag_.data());
    packed_ = first >> 16 != 0;
    Tag tag = {.type = first & 0xffff, .bytes = first >> 16};
    if (!packed_) tag.bytes = number(tag_.data() + 4);
    const int64_t max = packed_ ? 4 : stream_.remaining();
    if (tag.bytes > max) {
      raise<IoError>(stream_.where(), ": expected an element of at most ", max,
                     " bytes, got ", tag.bytes);
    }
    return tag;
  }

  // The bytes from the end of the tag to the next element.
  int64_t bytes_behind_tag(const Tag& tag) const {
    if (packed_) return 0;
    if (tag.type == kCompressed) return tag.bytes;  // without padding
    return tag.bytes + padding(tag);
  }

  void read(const Tag& tag, char* to) {
    const auto bytes = static_cast<size_t>(tag.bytes);
    if (packed_) {
      std::memcpy(to, tag_.data() + 4, bytes);
      return;
    }
    stream_.read({to, bytes});
    skip(padding(tag));
  }

  // All numbers of an element of that type; IoError for another type.
  template <class T>
  std::vector<T> read_all(uint32_t type, std::string_view what,
                          int64_t max_bytes) {
    const Tag tag = next();
    if (tag.type != type || tag.bytes > max_bytes ||
        tag.bytes % static_cast<int64_t>(sizeof(T)) != 0) {
      raise<IoError>(stream_.where(), ": expected ", what, " of type ", type,
                     " in at most ", max_bytes, " bytes, got type ", tag.type,
                     " in ", tag.bytes);
    }
    std::vector<T> numbers(static_cast<size_t>(tag.bytes) / sizeof(T));
    auto* const bytes = reinterpret_cast<char*>(numbers.data());
    read(tag, bytes);
    if (swapped_) {
      swap_items(bytes, static_cast<int64_t>(numbers.size()), sizeof(T));
    }
    return numbers;
  }

  void skip(int64_t bytes) {
    std::array<char, 4096> unused;
    for (bytes = std::min(bytes, stream_.remaining()); bytes > 0;) {
      const auto part = std::min<int64_t>(bytes, unused.size());
      stream_.read(std::span(unused).first(static_cast<size_t>(part)));
      bytes -= part;
    }
  }

  std::string where() const { return stream_.where(); }
  bool swapped() const { return swapped_; }
  int64_t remaining() const { return stream_.remaining(); }

 private:
  static int64_t padding(const Tag& tag) {
    return (kTagBytes - tag.bytes % kTagBytes) % kTagBytes;
  }

  uint32_t number(const char* bytes) const {
    std::array<char, 4> item;
    std::copy_n(bytes, 4, item.begin());
    if (swapped_) std::ranges::reverse(item);
    return std::bit_cast<uint32_t>(item);
  }

  array::ByteStream& stream_;
  bool swapped_;
  std::array<char, kTagBytes> tag_{};
  bool packed_ = false;
};

struct Variable {
  std::string name;
  Array values;  // undefined unless the variable is numeric
};

// MATLAB's extents, contiguous axis first, reversed to ours.
Shape reversed_shape(Elements& elements, const LoadLimits& limits) {
  const int max = std::min(limits.dims, kMaxDims);
  std::vector<int32_t> extents =
      elements.read_all<int32_t>(kInt32, "extents", 1 << 10);
  if (extents.empty() || static_cast<int>(extents.size()) > max) {
    raise<IoError>(elements.where(), ": expected 1 to ", max, " axes, got ",
                   extents.size());
  }
  const auto negative =
      std::ranges::find_if(extents, [](int32_t extent) { return extent < 0; });
  if (negative != extents.end()) {
    raise<IoError>(elements.where(), ": expected no negative extent, got ",
                   *negative);
  }
  return std::vector<int64_t>(extents.rbegin(), extents.rend());
}

Array read_values(Elements& elements, const Shape& reversed, Dtype dtype,
                  const LoadLimits& limits) {
  const Elements::Tag tag = elements.next();
  const std::optional<Dtype> stored = dtype_of_type(tag.type);
  if (!stored) {
    raise<IoError>(elements.where(), ": expected numbers, got type ", tag.type);
  }
  const auto bytes = array::checked_byte_count(
      reversed, std::max(item_size(dtype), item_size(*stored)));
  const bool fits = bytes && *bytes <= limits.array_bytes;
  int64_t size = fits ? 1 : 0;
  for (const int64_t extent : reversed) size *= extent;
  if (!fits || size * item_size(*stored) != tag.bytes) {
    raise<IoError>(elements.where(), ": expected at most ", limits.array_bytes,
                   " bytes of ", *stored, " in an array of extents ", reversed,
                   " (the last one first), got ", tag.bytes);
  }
  const Array values = array::empty(reversed, *stored, native_device());
  elements.read(tag, values.raw_data());
  if (elements.swapped()) {
    swap_items(values.raw_data(), size, item_size(*stored));
  }
  return values.astype(dtype, Array::CopyPolicy::kIfNeeded).transpose();
}

// The content of a matrix element.
Variable read_matrix(Elements& elements, const LoadLimits& limits) {
  const auto flags = elements.read_all<uint32_t>(kUInt32, "flags", 8);
  if (flags.size() != 2) {
    raise<IoError>(elements.where(), ": expected 2 numbers as flags, got ",
                   flags.size());
  }
  Variable variable;
  const std::optional<Dtype> dtype = dtype_of_class(flags[0] & 0xff);
  if (!dtype) return variable;
  const Shape shape = reversed_shape(elements, limits);
  const auto name =
      elements.read_all<char>(kInt8, "a name", limits.header_bytes);
  variable.name.assign(name.begin(), name.end());
  variable.values = read_values(elements, shape, *dtype, limits);
  return variable;
}

// A range of a source as a stream.
class RangeStream final : public array::ByteStream {
 public:
  RangeStream(const array::ByteSource& source, int64_t offset, int64_t bytes)
      : source_(source), offset_(offset), end_(offset + bytes) {}

  void read(std::span<char> to) override {
    if (static_cast<int64_t>(to.size()) > remaining()) {
      raise<IoError>(where(), ": truncated: expected ", to.size(),
                     " bytes at offset ", offset_, ", got ", remaining());
    }
    source_.read(offset_, to);
    offset_ += static_cast<int64_t>(to.size());
  }
  int64_t remaining() const override { return end_ - offset_; }
  std::string where() const override { return source_.where(); }

 private:
  const array::ByteSource& source_;
  int64_t offset_;
  int64_t end_;
};

// Whether the byte order must be swapped.
bool read_header(const array::ByteSource& source) {
  std::array<char, kHeaderBytes> header{};
  source.read(0, header);
  if (std::string_view(header.data(), 4) == "\x89HDF" ||
      std::string_view(header.data(), 10) == "MATLAB 7.3") {
    raise<IoError>(source.where(),
                   ": expected a MATLAB file of version 5 to 7, got 7.3, "
                   "which is HDF5");
  }
  // "MI" in the writer's byte order, after the version.
  const std::string_view order(header.data() + 126, 2);
  const bool little = order == "IM";
  const std::string_view version(header.data() + 124, 2);
  if ((!little && order != "MI") ||
      version != std::string_view(little ? "\0\1" : "\1\0", 2)) {
    raise<IoError>(source.where(),
                   ": expected a MATLAB file of version 5 to 7, got a file "
                   "that begins with ",
                   array::quote({header.data(), 20}));
  }
  return little != (std::endian::native == std::endian::little);
}

}  // namespace

std::map<std::string, Array> read_mat(const std::string& path,
                                      const LoadLimits& limits) try {
  const auto source = array::ByteSource::open(path, "read_mat", limits);
  const bool swapped = read_header(source);
  std::map<std::string, Array> variables;
  int64_t total_bytes = 0;
  for (int64_t offset = kHeaderBytes; offset < source.size();) {
    RangeStream file(source, offset, source.size() - offset);
    Elements elements(file, swapped);
    const Elements::Tag tag = elements.next();
    const int64_t begin = offset + kTagBytes;
    offset = begin + elements.bytes_behind_tag(tag);
    Variable variable;
    if (tag.type == kMatrix) {
      RangeStream content(source, begin, tag.bytes);
      Elements parts(content, swapped);
      variable = read_matrix(parts, limits);
    } else if (tag.type == kCompressed) {
      array::InflateStream content(
          source, begin, tag.bytes, array::InflateStream::Format::kZlib,
          array::max_inflated(tag.bytes, limits), source.where());
      Elements inner(content, swapped);
      if (inner.next().type != kMatrix) continue;
      variable = read_matrix(inner, limits);
      content.skip_rest();
    }
    if (!variable.values.defined()) continue;
    total_bytes += variable.values.nbytes();
    if (total_bytes > limits.total_bytes) {
      raise<IoError>(source.where(), ": expected at most ", limits.total_bytes,
                     " bytes of arrays (LoadLimits::total_bytes), got more");
    }
    if (static_cast<int64_t>(variables.size()) >= limits.members) {
      raise<IoError>(source.where(), ": expected at most ", limits.members,
                     " arrays (LoadLimits::members), got more");
    }
    variables.insert_or_assign(variable.name, variable.values);
  }
  return variables;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_mat");
}

}  // namespace catena::dataset
