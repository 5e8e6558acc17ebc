#include "catena/array/io/npz.h"

#include <memory>
#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/name_list.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/npy.h"

namespace catena::array {
namespace {

constexpr std::string_view kExtension = ".npy";
constexpr int kDeflateLevel = 6;  // zlib's and NumPy's default

std::string member_name(std::string_view key) {
  return std::string(key) += kExtension;
}

void save_items(const std::string& path, NpzCompression compression,
                const NpzItems& items) {
  NpzWriter writer(path, compression);
  for (const auto& [key, value] : items) writer.write(key, value);
  writer.commit();
}

NpzItems numbered(const std::vector<Array>& arrays) {
  NpzItems items;
  for (const Array& a : arrays)
    items.emplace_back(str("arr_", items.size()), a);
  return items;
}

}  // namespace

NpzReader::NpzReader(const std::string& path, const LoadLimits& limits) try
    : NpzReader(ByteSource::open(path, "load_npz", limits), limits) {
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_npz");
}

NpzReader NpzReader::from_bytes(std::span<const char> bytes,
                                const LoadLimits& limits) try {
  return NpzReader(ByteSource::of_memory(bytes, "load_npz"), limits);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_npz");
}

NpzReader::NpzReader(ByteSource source, const LoadLimits& limits)
    : limits_(limits), zip_(std::move(source), limits) {
  // By this NumPy tells archives from other files.
  if (!zip_.begins_with_member()) {
    raise<IoError>(zip_.where(),
                   ": expected a file that begins with the archive, got other "
                   "bytes in front of it");
  }
  for (const ZipMember& member : zip_.members()) {
    std::string_view name = member.name;
    if (!name.ends_with(kExtension)) {
      raise<IoError>(zip_.where(), ": member ", quote(name),
                     ": expected a name that ends in .npy");
    }
    name.remove_suffix(kExtension.size());
    keys_.emplace_back(name);
  }
}

bool NpzReader::contains(std::string_view key) const {
  return zip_.find(member_name(key)) != nullptr;
}

NpyValue NpzReader::read(std::string_view key) const try {
  const ZipMember* member = zip_.find(member_name(key));
  if (member == nullptr) {
    raise<IoError>(zip_.where(), ": expected a key of the archive, got ",
                   quote(key), "; its keys are ", list_names(keys_, key));
  }
  return read_npy(*zip_.open(*member), limits_);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_npz");
}

Array NpzReader::read_array(std::string_view key) const {
  const NpyValue value = read(key);
  if (value.is_array()) return value.array();
  raise<IoError>(zip_.where(), ": member ", quote(member_name(key)),
                 ": expected an array of numbers, got ", value);
}

std::string NpzReader::read_text(std::string_view key) const try {
  const NpyValue value = read(key);
  if (value.is_text() && value.strings().shape.empty()) return value.text();
  raise<IoError>(zip_.where(), ": member ", quote(member_name(key)),
                 ": expected a single string, got ", value);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_npz");
}

NpzWriter::NpzWriter(const std::string& path, NpzCompression compression) try
    : file_(std::in_place, path, "savez"),
      zip_(*file_),
      level_(compression == NpzCompression::kDeflate ? kDeflateLevel : 0) {
} catch (const std::bad_alloc&) {
  raise_out_of_memory("savez");
}

NpzWriter::NpzWriter(ByteSink& sink, NpzCompression compression)
    : zip_(sink),
      level_(compression == NpzCompression::kDeflate ? kDeflateLevel : 0) {}

void NpzWriter::write(std::string_view key, const NpyValue& value) try {
  write_npy(zip_.begin_member(member_name(key), level_), value, "savez");
  zip_.end_member();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("savez");
}

void NpzWriter::commit() try {
  zip_.finish();
  if (file_) file_->commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("savez");
}

const NpyValue& NpzContents::at(std::string_view key) const& {
  if (const auto it = find(key); it != end()) return it->second;
  std::vector<std::string> keys;
  for (const auto& [name, value] : *this) keys.push_back(name);
  raise<ValueError>("load_npz: expected a key of the archive, got ", quote(key),
                    "; its keys are ", list_names(keys, key));
}

NpzContents load_npz(const std::string& path, const LoadLimits& limits) try {
  const NpzReader reader(path, limits);
  NpzContents values;
  for (const std::string& key : reader.keys()) {
    NpyValue value = reader.read(key);
    if (value.is_array()) value = value.array().to_device(current_device());
    values.emplace(key, std::move(value));
  }
  return values;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_npz");
}

void savez(const std::string& path, const NpzItems& items) {
  save_items(path, NpzCompression::kStored, items);
}

void savez(const std::string& path, const std::vector<Array>& arrays) {
  savez(path, numbered(arrays));
}

void savez_compressed(const std::string& path, const NpzItems& items) {
  save_items(path, NpzCompression::kDeflate, items);
}

void savez_compressed(const std::string& path,
                      const std::vector<Array>& arrays) {
  savez_compressed(path, numbered(arrays));
}

}  // namespace catena::array
