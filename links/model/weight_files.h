#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"
#include "catena/serializers/safetensors.h"

namespace catena::links {

// The arrays of a folder with published weights: of model.safetensors, or of
// the shards that model.safetensors.index.json names.
class WeightFiles {
 public:
  // Opens the files and reads their headers. Throws IoError when one is missing
  // or damaged, and for an index with doubled names, with names of files in
  // other folders, that does not say where an array is, or that says it of one
  // that is elsewhere.
  WeightFiles(const std::string& folder, const LoadLimits& limits);

  // The names in the files.
  const std::map<std::string, size_t>& names() const { return names_; }
  serializers::SafetensorsDeserializer::ArrayKind kind(
      const std::string& name) const;
  // The array, to be read, as SafetensorsDeserializer::map() gives it.
  Array map(const std::string& name) const;
  // "load_pretrained: 'folder'".
  const std::string& where() const { return where_; }

 private:
  void open(const std::string& path, const LoadLimits& limits);
  void open_shards(const std::string& folder, const std::string& path,
                   const LoadLimits& limits);
  // The file of each name.
  std::map<std::string, std::string> read_index(const std::string& path,
                                                const LoadLimits& limits) const;

  std::string where_;
  std::vector<serializers::SafetensorsDeserializer> files_;
  std::map<std::string, size_t> names_;  // and the numbers of their files
};

// Writes the arrays, in this order, to model.safetensors, or if they are more
// than shard_bytes, to shards with an index. They may be views: each is copied
// by itself. Throws IoError when the folder has files of the other kind.
void write_weight_files(
    const std::string& folder,
    const std::vector<std::pair<std::string, Array>>& arrays,
    int64_t shard_bytes);

// Writes a text file atomically.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace catena::links
