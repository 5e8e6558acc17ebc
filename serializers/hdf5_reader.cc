#include "catena/serializers/hdf5_reader.h"

#include <algorithm>
#include <bit>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/io/checked_byte_count.h"
#include "catena/array/io/crc32.h"
#include "catena/array/io/little_endian.h"
#include "catena/serializers/hdf5_data.h"
#include "catena/serializers/hdf5_format.h"
#include "catena/serializers/hdf5_groups.h"
#include "catena/serializers/hdf5_heaps.h"
#include "catena/serializers/hdf5_key.h"
#include "catena/serializers/hdf5_messages.h"
#include "catena/serializers/hdf5_object.h"

namespace catena::serializers {
namespace {

using array::little_endian;
using array::quote;
using hdf5::Dataspace;
using hdf5::Datatype;
using hdf5::File;
using hdf5::MessageType;
using hdf5::ObjectHeader;
using hdf5::StoredData;
using hdf5::Walk;

// Memory that reading an array may take besides it, whatever the limits are.
constexpr int64_t kSpareBytes = 32 << 20;

// What may have links is a group, whatever else it has.
bool is_dataset(const ObjectHeader& object) {
  return !is_group(object) && object.has(MessageType::kDataspace) &&
         object.has(MessageType::kDatatype) && object.has(MessageType::kLayout);
}

// A text of variable length: what the dataset says about it.
struct HeapText {
  uint64_t bytes = 0;
  uint64_t address = 0;
  uint64_t index = 0;
};

// One dataset of an open file.
class Dataset {
 public:
  Dataset(Walk& walk, const ObjectHeader& header, const LoadLimits& limits)
      : walk_(walk),
        header_(header),
        limits_(limits),
        space_(read_dataspace(header.get(MessageType::kDataspace))),
        type_(read_datatype(header.get(MessageType::kDatatype))) {
    if (is_null()) {
      // A damaged file may also say so.
      hdf5::read_layout_of(header, walk.where());
      read_fill_value(header, type_.bytes);
      return;
    }
    find_shape();
    if (type_.kind == Datatype::Kind::kVariableText) find_heap_text();
  }

  // What the array or text takes in memory; at most limits.array_bytes.
  int64_t bytes() const { return bytes_; }

  // Takes at most `spare_bytes` of memory besides, or a few megabytes.
  SerializedValue read(int64_t spare_bytes) const {
    if (is_null()) return std::monostate();
    switch (type_.kind) {
      case Datatype::Kind::kNumber:
        return read_array(spare_bytes);
      case Datatype::Kind::kText:
        return read_text(spare_bytes);
      case Datatype::Kind::kVariableText:
        return read_heap_text();
      case Datatype::Kind::kOther:
        break;
    }
    refuse("numbers, bool or text",
           str(type_.name, " elements of ", type_.bytes, " bytes"));
  }

 private:
  [[noreturn]] void refuse(std::string_view expected,
                           std::string_view actual) const {
    raise<IoError>(walk_.where(), ": expected ", expected, ", got ", actual);
  }

  bool is_null() const { return space_.kind == Dataspace::Kind::kNull; }

  void find_shape() {
    const auto ndim = static_cast<int>(space_.extents.size());
    if (ndim > std::min(limits_.dims, kMaxDims)) {
      refuse(str("at most ", std::min(limits_.dims, kMaxDims), " axes"),
             str(ndim));
    }
    for (const uint64_t extent : space_.extents) {
      if (extent > static_cast<uint64_t>(INT64_MAX)) {
        refuse("extents below 2^63", str(extent));
      }
      shape_.push_back(static_cast<int64_t>(extent));
    }
    const auto bytes = array::checked_byte_count_within(
        limits_.array_bytes, shape_, static_cast<int64_t>(type_.bytes));
    if (!bytes) {
      refuse(str("at most ", limits_.array_bytes, " bytes"), "a larger array");
    }
    bytes_ = *bytes;
  }

  StoredData find_data(int64_t spare_bytes) const {
    StoredData data(walk_, header_, space_, shape_,
                    static_cast<int64_t>(type_.bytes), limits_);
    const int64_t buffers = data.buffer_bytes();
    if (buffers > std::max(spare_bytes, kSpareBytes)) {
      refuse(str("at most ", spare_bytes,
                 " bytes for chunks (LoadLimits::total_bytes)"),
             str(buffers));
    }
    return data;
  }

  Array read_array(int64_t spare_bytes) const {
    const StoredData data = find_data(spare_bytes);
    Array array = array::empty(shape_, type_.dtype, native_device());
    const std::span<char> bytes(array.raw_data(), static_cast<size_t>(bytes_));
    data.read(bytes,
              type_.is_big_endian != (std::endian::native == std::endian::big));
    // Any other byte in a bool is undefined behaviour.
    if (type_.dtype == Dtype::kBool &&
        std::any_of(bytes.begin(), bytes.end(),
                    [](char c) { return c != 0 && c != 1; })) {
      refuse("0 and 1 as bool", "another byte");
    }
    return array;
  }

  void expect_one_text() const {
    if (size_of(shape_) != 1) refuse("one text", "several");
  }

  std::string read_text(int64_t spare_bytes) const {
    expect_one_text();
    const StoredData data = find_data(spare_bytes);
    std::string text(static_cast<size_t>(bytes_), '\0');
    data.read(text);
    switch (type_.padding) {
      case Datatype::Padding::kTerminated:
        text.resize(std::min(text.size(), text.find('\0')));
        break;
      case Datatype::Padding::kZeros:
        text.resize(text.find_last_not_of('\0') + 1);
        break;
      case Datatype::Padding::kSpaces:
        text.resize(text.find_last_not_of(' ') + 1);
        break;
    }
    return checked_text(std::move(text));
  }

  // The dataset has the length of the text, and where it is.
  void find_heap_text() {
    expect_one_text();
    const StoredData data = find_data(0);
    std::string element(type_.bytes, '\0');
    data.read(element);
    const auto address_bytes =
        static_cast<size_t>(walk_.file().address_bytes());
    constexpr size_t kNumberBytes = 4;
    if (element.size() != address_bytes + 2 * kNumberBytes) {
      refuse("text that the global heap has",
             str("elements of ", element.size(), " bytes"));
    }
    const std::span<const char> bytes(element);
    heap_text_.bytes = little_endian(bytes.first(kNumberBytes));
    heap_text_.address =
        little_endian(bytes.subspan(kNumberBytes, address_bytes));
    heap_text_.index = little_endian(bytes.last(kNumberBytes));
    if (heap_text_.bytes > static_cast<uint64_t>(limits_.array_bytes)) {
      refuse(str("at most ", limits_.array_bytes, " bytes"), "a longer text");
    }
    bytes_ = static_cast<int64_t>(heap_text_.bytes);
  }

  std::string read_heap_text() const {
    if (heap_text_.address == 0) {
      if (heap_text_.bytes != 0) refuse("an address of its text", "none");
      return checked_text("");
    }
    std::string text = hdf5::read_global_heap(
        walk_, heap_text_.address, heap_text_.index, heap_text_.bytes);
    text.resize(std::min(text.size(), text.find('\0')));
    return checked_text(std::move(text));
  }

  // Only files written by catena have a checksum of a text.
  std::string checked_text(std::string text) const {
    const auto attribute = find_attribute(walk_, header_, hdf5::kTextChecksum);
    if (!attribute) return text;
    const Datatype& type = attribute->type;
    const bool is_one =
        attribute->space.kind != Dataspace::Kind::kNull &&
        std::all_of(attribute->space.extents.begin(),
                    attribute->space.extents.end(),
                    [](uint64_t extent) { return extent == 1; });
    if (type.kind != Datatype::Kind::kNumber || !is_integral(type.dtype) ||
        !is_one || attribute->data.size() < type.bytes) {
      refuse("a number as checksum", "something else");
    }
    std::string number = attribute->data.substr(0, type.bytes);
    if (type.is_big_endian) std::reverse(number.begin(), number.end());
    const uint64_t expected = little_endian(number);
    const uint64_t actual = array::crc32_of(text);
    if (actual != expected) {
      refuse(str("text with checksum ", expected), str(actual));
    }
    return text;
  }

  Walk& walk_;
  const ObjectHeader& header_;
  const LoadLimits& limits_;
  Dataspace space_;
  Datatype type_;
  Shape shape_ = {};
  int64_t bytes_ = 0;
  HeapText heap_text_ = {};
};

}  // namespace

struct Hdf5Reader::Contents {
  Contents(const std::string& path, const LoadLimits& limits)
      : file(path, limits), group_bytes_left(file.end()) {
    if (file.extension() != hdf5::kNoAddress) {
      Walk walk(file, file.where());
      ObjectHeader::extension(walk);
    }
    if (links_of(file.root(), file.where()) == nullptr) {
      raise<IoError>(file.where(), ": expected a group as root, got none");
    }
  }

  // The links of the group at an address; null if it is no group.
  const hdf5::Links* links_of(uint64_t address, const std::string& where) {
    const auto known = groups.find(address);
    if (known != groups.end()) return &known->second;
    Walk to_header(file, where);
    const ObjectHeader header(to_header, address);
    if (!is_group(header)) return nullptr;
    Walk walk(file, where, group_bytes_left);
    const auto added = groups.emplace(address, read_links(walk, header));
    group_bytes_left = walk.bytes_left();
    return &added.first->second;
  }

  File file;
  // By the addresses of their headers.
  std::map<uint64_t, hdf5::Links> groups;
  // Groups do not overlap, so that together they have at most the file's bytes.
  uint64_t group_bytes_left;
};

Hdf5Reader::Hdf5Reader(const std::string& path, const LoadLimits& limits)
    : limits_(limits), contents_(std::make_unique<Contents>(path, limits)) {}

Hdf5Reader::Hdf5Reader(Hdf5Reader&&) noexcept = default;
Hdf5Reader::~Hdf5Reader() = default;

std::optional<SerializedValue> Hdf5Reader::read(std::string_view key) const {
  const auto parts = hdf5::parts_of(key);
  if (!parts) return std::nullopt;
  const File& file = contents_->file;
  const std::string where = str(file.where(), ": ", quote(key));
  uint64_t address = file.root();
  for (const std::string& part : *parts) {
    const hdf5::Links* links = contents_->links_of(address, where);
    if (links == nullptr) return std::nullopt;
    const auto link = links->find(part);
    if (link == links->end()) return std::nullopt;
    if (!link->second.is_hard) {
      raise<IoError>(where,
                     ": expected an entry, got a link to another location");
    }
    address = link->second.address;
  }
  Walk walk(file, where);
  const ObjectHeader header(walk, address);
  if (!is_dataset(header)) {
    raise<IoError>(where, ": expected a dataset, got ",
                   is_group(header) ? "a group" : "another object");
  }
  const Dataset dataset(walk, header, limits_);
  if (!read_.contains(key)) count(key, dataset.bytes(), where);
  try {
    return dataset.read(limits_.total_bytes - total_bytes_);
  } catch (const std::bad_alloc&) {
    raise<OutOfMemoryError>(where, ": no memory for its ", dataset.bytes(),
                            " bytes, or to decode them");
  }
}

void Hdf5Reader::count(std::string_view key, int64_t bytes,
                       const std::string& where) const {
  if (static_cast<int64_t>(read_.size()) >= limits_.members) {
    raise<IoError>(where, ": expected at most ", limits_.members,
                   " entries (LoadLimits::members)");
  }
  if (bytes > limits_.total_bytes - total_bytes_) {
    raise<IoError>(where, ": expected at most ", limits_.total_bytes,
                   " bytes of arrays (LoadLimits::total_bytes), got ", bytes,
                   " besides ", total_bytes_);
  }
  read_.emplace(key);
  total_bytes_ += bytes;
}

}  // namespace catena::serializers
