#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/io/byte_source.h"
#include "catena/serializers/archive.h"

// The safetensors format (https://github.com/huggingface/safetensors): the size
// of a header, the header in JSON, and the arrays' bytes, which nothing
// compresses. Keys are those of the other formats, "predictor/l1/W". Text and
// none, which the format lacks, are kept in its metadata under "text:KEY" and
// "none:KEY", and so are checksums, under "crc32:KEY": damage to a file that we
// wrote is noticed.
namespace catena::serializers {

// Collects what the tree hands over. The file appears with commit(), complete,
// or not at all.
class SafetensorsSerializer final : public ArchiveSerializer {
 public:
  explicit SafetensorsSerializer(std::string file)
      : ArchiveSerializer("safetensors"), file_(std::move(file)) {}

  // Call once, after the last value. IoError; ValueError for a key that came
  // twice or that is no UTF-8.
  void commit();

 private:
  void put(const std::string& key, SerializedValue value) override;

  std::string file_;
  std::vector<std::pair<std::string, Array>> arrays_;
  std::map<std::string, std::string> metadata_;
};

// Reads entries when they are asked for. The whole header is checked at once:
// dtypes, shapes, sizes, that ranges of bytes neither overlap nor leave holes.
class SafetensorsDeserializer final : public ArchiveDeserializer {
 public:
  // IoError when the file cannot be opened or its header does not hold.
  explicit SafetensorsDeserializer(const std::string& file,
                                   const LoadOptions& options = {});

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
  // Offsets count from the end of the header.
  Tensor read_entry(const std::string& where,
                    const nlohmann::ordered_json& entry, int64_t data_bytes,
                    const LoadLimits& limits) const;
  void check_ranges(int64_t data_bytes) const;
  // Compares a checksum with that of the metadata, if there is one.
  void check_sum(const std::string& key, uint32_t sum) const;
  [[noreturn]] void fail(const std::string& what) const;

  array::ByteSource source_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Saves a link, optimizer, trainer or anything else that serializes. IoError.
void save_safetensors(const std::string& file, const Serialize& serialize);
template <Serializable T>
void save_safetensors(const std::string& file, T& object) {
  save_safetensors(file, [&](const Serializer& s) { object.serialize(s); });
}

// Loads such a file. IoError naming file, key, expected and actual when it is
// damaged or does not fit; then the object is as it was.
void load_safetensors(const std::string& file, const Serialize& serialize,
                      const LoadOptions& options = {});
template <Serializable T>
void load_safetensors(const std::string& file, T& object,
                      const LoadOptions& options = {}) {
  load_safetensors(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

}  // namespace catena::serializers
