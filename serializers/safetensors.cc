#include "catena/serializers/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/from_data.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/checked_byte_count.h"
#include "catena/array/io/crc32.h"
#include "catena/serializers/json_text.h"

namespace catena::serializers {
namespace {

using array::quote;
using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little,
              "the format is little endian");

constexpr int64_t kSizeBytes = 8;  // before the header
// The format's own limit.
constexpr int64_t kMaxHeaderBytes = 100'000'000;
constexpr int64_t kAlignment = 64;
constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kText = "text:";
constexpr std::string_view kNone = "none:";
constexpr std::string_view kSum = "crc32:";

struct DtypeName {
  Dtype dtype;
  std::string_view name;
};
constexpr DtypeName kDtypeNames[] = {
    {Dtype::kBool, "BOOL"},     {Dtype::kInt8, "I8"},
    {Dtype::kInt16, "I16"},     {Dtype::kInt32, "I32"},
    {Dtype::kInt64, "I64"},     {Dtype::kUInt8, "U8"},
    {Dtype::kUInt16, "U16"},    {Dtype::kUInt32, "U32"},
    {Dtype::kUInt64, "U64"},    {Dtype::kFloat16, "F16"},
    {Dtype::kBFloat16, "BF16"}, {Dtype::kFloat32, "F32"},
    {Dtype::kFloat64, "F64"},
};

std::string_view name_of(Dtype dtype) {
  return std::find_if(std::begin(kDtypeNames), std::end(kDtypeNames),
                      [&](const DtypeName& row) { return row.dtype == dtype; })
      ->name;
}

// Also covers dtype and shape, so that damage to them in the header is
// detected.
uint32_t sum_of(const Array& array) {
  const uint32_t sum =
      array::crc32_of(str(name_of(array.dtype()), array.shape()));
  return array::crc32_of(
      {array.raw_data(), static_cast<size_t>(array.nbytes())}, sum);
}

std::string hex(uint32_t sum) {
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[sum >> shift & 15];
  }
  return text;
}

[[noreturn]] void refuse_taken(std::string_view key) {
  raise<ValueError>("save_safetensors: expected a key that is not taken, got ",
                    quote(key));
}

// The JSON header, without the leading size.
std::string header_of(const std::vector<std::pair<std::string, Array>>& arrays,
                      const std::map<std::string, std::string>& metadata) {
  ordered_json header = ordered_json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  int64_t offset = 0;
  for (const auto& [key, array] : arrays) {
    if (key == kMetadata) refuse_taken(key);
    const int64_t end = offset + array.nbytes();
    header[key] = {{"dtype", name_of(array.dtype())},
                   {"shape", std::vector<int64_t>(array.shape().begin(),
                                                  array.shape().end())},
                   {"data_offsets", std::array<int64_t, 2>{offset, end}}};
    offset = end;
  }
  try {
    return header.dump();
  } catch (const ordered_json::exception&) {
    raise<ValueError>("save_safetensors: expected keys and text in UTF-8");
  }
}

// A non-negative integer that fits in int64.
std::optional<int64_t> count_of(const ordered_json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto count = value.get<uint64_t>();
  if (count > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<int64_t>(count);
}

// The numbers of a list; nullopt if any element is not one.
std::optional<std::vector<int64_t>> counts_of(const ordered_json& list) {
  if (!list.is_array()) return std::nullopt;
  std::vector<int64_t> counts;
  for (const ordered_json& value : list) {
    const std::optional<int64_t> count = count_of(value);
    if (!count) return std::nullopt;
    counts.push_back(*count);
  }
  return counts;
}

std::optional<Dtype> dtype_of_name(const ordered_json& name) {
  if (!name.is_string()) return std::nullopt;
  for (const DtypeName& row : kDtypeNames) {
    if (name.get_ref<const std::string&>() == row.name) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace

void SafetensorsSerializer::put(const std::string& key, SerializedValue value) {
  if (!keys_.insert(key).second) refuse_taken(key);
  if (auto* array = std::get_if<Array>(&value)) {
    metadata_[std::string(kSum) + key] = hex(sum_of(array->contiguous()));
    arrays_.emplace_back(key, std::move(*array));
  } else if (auto* text = std::get_if<std::string>(&value)) {
    metadata_[std::string(kSum) + key] = hex(array::crc32_of(*text));
    metadata_[std::string(kText) + key] = std::move(*text);
  } else {
    metadata_[std::string(kNone) + key] = "";
  }
}

void SafetensorsSerializer::commit() {
  // Largest item size first, so that each array is aligned to its item size.
  std::stable_sort(
      arrays_.begin(), arrays_.end(), [](const auto& a, const auto& b) {
        return item_size(a.second.dtype()) > item_size(b.second.dtype());
      });
  std::string header = header_of(arrays_, metadata_);
  const auto size = static_cast<int64_t>(header.size());
  header.append(static_cast<size_t>(-(size + kSizeBytes) & (kAlignment - 1)),
                ' ');
  array::AtomicFile file(file_, "save_safetensors");
  const auto bytes =
      std::bit_cast<std::array<char, kSizeBytes>>(uint64_t{header.size()});
  file.write(bytes);
  file.write(header);
  for (const auto& [key, array] : arrays_) {
    const Array whole = array.contiguous();
    file.write({whole.raw_data(), static_cast<size_t>(whole.nbytes())});
  }
  file.commit();
}

SafetensorsDeserializer::SafetensorsDeserializer(const std::string& file,
                                                 const LoadOptions& options)
    : ArchiveDeserializer(file, options),
      source_(
          array::ByteSource::open(file, "load_safetensors", options.limits)) {
  read_header(options.limits);
}

void SafetensorsDeserializer::fail(const std::string& what) const {
  raise<IoError>(source_.where(), ": ", what);
}

void SafetensorsDeserializer::read_header(const LoadLimits& limits) {
  std::array<char, kSizeBytes> bytes;
  source_.read(0, bytes);
  const auto claimed = std::bit_cast<uint64_t>(bytes);
  const int64_t max = std::min(kMaxHeaderBytes, source_.size() - kSizeBytes);
  if (claimed > static_cast<uint64_t>(max)) {
    fail(str("expected a header of at most ", max, " bytes, got ", claimed));
  }
  std::string text(claimed, '\0');
  source_.read(kSizeBytes, text);
  // The format allows space behind it, but nothing in front.
  if (!text.starts_with('{')) {
    fail("expected a header that is a JSON object from its first byte on");
  }
  // The parser would take it for the end.
  if (text.find('\0') != std::string::npos) {
    fail("expected a header in JSON, got a zero byte in it");
  }
  constexpr int kMaxDepth = 3;  // an entry's shape
  JsonFaults faults;
  const ordered_json header = parse_json(text, kMaxDepth, faults);
  if (faults.is_deep) {
    fail("expected a header of entries with lists, got deeper nesting");
  }
  if (!header.is_object()) fail("expected a header that is a JSON object");
  if (faults.has_doubles) fail("expected unique names, got a duplicate");
  if (static_cast<int64_t>(header.size()) > limits.members) {
    fail(str("expected at most ", limits.members, " entries, got ",
             header.size()));
  }

  const int64_t start = kSizeBytes + static_cast<int64_t>(claimed);
  const int64_t data_bytes = source_.size() - start;
  for (const auto& [name, value] : header.items()) {
    if (name == kMetadata) {
      read_metadata(value);
    } else {
      tensors_.emplace(name,
                       read_entry(quote(name), value, data_bytes, limits));
    }
  }
  check_ranges(data_bytes);
  for (auto& [name, tensor] : tensors_) {
    tensor.begin += start;
    tensor.end += start;
  }
}

void SafetensorsDeserializer::read_metadata(const ordered_json& metadata) {
  if (!metadata.is_object()) fail("expected metadata that is a JSON object");
  for (const auto& [key, entry] : metadata.items()) {
    if (!entry.is_string()) {
      fail("metadata " + quote(key) + ": expected text");
    }
    metadata_[key] = entry.get<std::string>();
  }
}

SafetensorsDeserializer::Tensor SafetensorsDeserializer::read_entry(
    const std::string& where, const ordered_json& entry, int64_t data_bytes,
    const LoadLimits& limits) const {
  if (!entry.is_object() || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets")) {
    fail(where + ": expected dtype, shape and data_offsets");
  }
  const std::optional<Dtype> dtype = dtype_of_name(entry["dtype"]);
  if (!dtype) {
    fail(where + ": expected a dtype that catena has, got " +
         quote(entry["dtype"].dump()));
  }
  const int dims = std::min(limits.dims, kMaxDims);
  const auto shape = counts_of(entry["shape"]);
  if (!shape || static_cast<int64_t>(shape->size()) > dims) {
    fail(str(where, ": expected a shape of at most ", dims, " axes, got ",
             quote(entry["shape"].dump())));
  }
  const auto bytes = array::checked_byte_count_within(
      limits.array_bytes, *shape, item_size(*dtype));
  if (!bytes) {
    fail(str(where, ": expected at most ", limits.array_bytes,
             " bytes, got shape ", quote(entry["shape"].dump())));
  }
  const int64_t size = *bytes;
  const auto offsets = counts_of(entry["data_offsets"]);
  if (!offsets || offsets->size() != 2 || offsets->at(0) > offsets->at(1) ||
      offsets->at(1) > data_bytes || offsets->at(1) - offsets->at(0) != size) {
    fail(str(where, ": expected offsets of ", size, " bytes within ",
             data_bytes, ", got ", quote(entry["data_offsets"].dump())));
  }
  return {*dtype, Shape(*shape), offsets->at(0), offsets->at(1)};
}

void SafetensorsDeserializer::check_ranges(int64_t data_bytes) const {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const auto& [name, tensor] : tensors_) {
    ranges.emplace_back(tensor.begin, tensor.end);
  }
  std::sort(ranges.begin(), ranges.end());
  int64_t end = 0;
  for (const auto& [from, to] : ranges) {
    if (from != end) {
      fail(str("expected contiguous arrays, got one at ", from,
               " after the end of another at ", end));
    }
    end = to;
  }
  if (end != data_bytes) {
    fail(str("expected ", end, " bytes of arrays, got ", data_bytes));
  }
}

void SafetensorsDeserializer::check_sum(const std::string& key,
                                        uint32_t sum) const {
  const auto it = metadata_.find(std::string(kSum) + key);
  if (it == metadata_.end() || it->second == hex(sum)) return;
  fail(str(quote(key), ": the data is damaged: expected checksum ",
           quote(it->second), ", got ", hex(sum)));
}

std::vector<std::string> SafetensorsDeserializer::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, tensor] : tensors_) keys.push_back(key);
  return keys;
}

SafetensorsDeserializer::ArrayKind SafetensorsDeserializer::kind(
    const std::string& key) const {
  const Tensor& tensor = existing(key);
  return {tensor.dtype, tensor.shape};
}

const SafetensorsDeserializer::Tensor& SafetensorsDeserializer::existing(
    const std::string& key) const {
  const auto it = tensors_.find(key);
  if (it == tensors_.end()) fail(str("expected an array ", quote(key)));
  return it->second;
}

Array SafetensorsDeserializer::loaded(const Tensor& tensor) const {
  Array array = array::empty(tensor.shape, tensor.dtype, native_device());
  source_.read(tensor.begin,
               {array.raw_data(), static_cast<size_t>(array.nbytes())});
  return array;
}

Array SafetensorsDeserializer::map(const std::string& key) const {
  const Tensor& tensor = existing(key);
  const std::shared_ptr<const char> bytes =
      source_.map(tensor.begin, tensor.end - tensor.begin);
  const auto address = reinterpret_cast<uintptr_t>(bytes.get());
  if (tensor.begin == tensor.end ||
      address % static_cast<uintptr_t>(item_size(tensor.dtype)) != 0) {
    return checked(key, loaded(tensor));
  }
  // Arrays are not const; callers only read this one.
  const std::shared_ptr<char> owner = std::const_pointer_cast<char>(bytes);
  return checked(key, array::from_data(owner.get(), tensor.shape, tensor.dtype,
                                       {.owner = owner}));
}

Array SafetensorsDeserializer::checked(const std::string& key,
                                       Array array) const {
  const char* const bytes = array.raw_data();
  if (array.dtype() == Dtype::kBool &&
      std::any_of(bytes, bytes + array.nbytes(),
                  [](char c) { return c != 0 && c != 1; })) {
    fail(quote(key) + ": expected 0 and 1 as bool, got another byte");
  }
  if (metadata_.contains(std::string(kSum) + key)) {
    check_sum(key, sum_of(array));
  }
  return array;
}

std::optional<SerializedValue> SafetensorsDeserializer::find(
    const std::string& key) {
  if (const auto it = tensors_.find(key); it != tensors_.end()) {
    return checked(key, loaded(it->second));
  }
  if (const auto it = metadata_.find(std::string(kText) + key);
      it != metadata_.end()) {
    check_sum(key, array::crc32_of(it->second));
    return it->second;
  }
  if (metadata_.contains(std::string(kNone) + key)) return std::monostate();
  return std::nullopt;
}

void save_safetensors(const std::string& file, const Serialize& serialize) try {
  SafetensorsSerializer backend(file);
  serialize(Serializer(backend));
  backend.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("save_safetensors");
}

void load_safetensors(const std::string& file, const Serialize& serialize,
                      const LoadOptions& options) try {
  SafetensorsDeserializer backend(file, options);
  load_from(backend, serialize);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_safetensors");
}

}  // namespace catena::serializers
