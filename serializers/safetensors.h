#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/io/byte_source.h"
#include "catena/serializers/archive.h"

// The safetensors format (https://github.com/huggingface/safetensors): the size
// of a header, the header in JSON, and the uncompressed bytes of the arrays.
// Keys are those of the other formats, "predictor/l1/W". Text and none, which
// the format lacks, are stored in its metadata under "text:KEY" and "none:KEY",
// and checksums, which detect damage to files written by catena, under
// "crc32:KEY".
namespace catena::serializers {

// Collects the entries of a tree. commit() writes the file atomically.
class SafetensorsSerializer final : public ArchiveSerializer {
 public:
  explicit SafetensorsSerializer(std::string file)
      : ArchiveSerializer("safetensors"), file_(std::move(file)) {}

  // A text for other programs, such as "format": "pt".
  void set_metadata(std::string name, std::string text) {
    metadata_[std::move(name)] = std::move(text);
  }

  // Call once, after the last value. Arrays must be as they were when they were
  // added: they are not copied. Throws IoError on failure; ValueError for
  // a duplicate key or one that is not valid UTF-8.
  void commit();

 private:
  void put(const std::string& key, SerializedValue value) override;

  std::string file_;
  std::set<std::string> keys_;
  std::vector<std::pair<std::string, Array>> arrays_;
  std::map<std::string, std::string> metadata_;
};

// Reads entries on demand. The constructor checks the whole header: dtypes,
// shapes, sizes, and that byte ranges have no overlaps or gaps.
class SafetensorsDeserializer final : public ArchiveDeserializer {
 public:
  // Throws IoError when the file cannot be opened or its header is invalid.
  explicit SafetensorsDeserializer(const std::string& file,
                                   const LoadOptions& options = {});
  // Those of arrays.
  std::vector<std::string> keys() const override;

  struct ArrayKind {
    Dtype dtype;
    Shape shape;
  };
  // Throw IoError when there is no such array, or it is damaged.
  ArrayKind kind(const std::string& key) const;
  // The array, mapped into memory if the system supports it: only to be read,
  // and only while the file is not truncated, or the system kills the process
  // (SIGBUS).
  Array map(const std::string& key) const;

 private:
  struct Tensor {
    Dtype dtype;
    Shape shape;
    int64_t begin;
    int64_t end;
  };

  std::optional<SerializedValue> find(const std::string& key) override;
  void read_header(const LoadLimits& limits);
  void read_metadata(const nlohmann::ordered_json& metadata);
  // Offsets are relative to the end of the header.
  Tensor read_entry(const std::string& where,
                    const nlohmann::ordered_json& entry, int64_t data_bytes,
                    const LoadLimits& limits) const;
  void check_ranges(int64_t data_bytes) const;
  const Tensor& existing(const std::string& key) const;
  Array loaded(const Tensor& tensor) const;
  // The array, unless it is damaged.
  Array checked(const std::string& key, Array array) const;
  // Compares a checksum with the one in the metadata, if any.
  void check_sum(const std::string& key, uint32_t sum) const;
  [[noreturn]] void fail(const std::string& what) const;

  array::ByteSource source_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Saves a link, optimizer, trainer or anything else that serializes. Throws
// IoError on failure.
void save_safetensors(const std::string& file, const Serialize& serialize);
template <Serializable T>
void save_safetensors(const std::string& file, T& object) {
  save_safetensors(file, [&](const Serializer& s) { object.serialize(s); });
}

// Loads a safetensors file. Throws IoError naming file, key, expected and
// actual when it is damaged or does not match the object, which is then
// unchanged.
void load_safetensors(const std::string& file, const Serialize& serialize,
                      const LoadOptions& options = {});
template <Serializable T>
void load_safetensors(const std::string& file, T& object,
                      const LoadOptions& options = {}) {
  load_safetensors(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

}  // namespace catena::serializers
