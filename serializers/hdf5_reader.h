#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "catena/array/io/load_limits.h"
#include "catena/serializers/hdf5_handle.h"
#include "catena/serializers/serializer.h"

namespace catena::serializers {

// Reads entries of an HDF5 file by key, in the layout of Hdf5Writer. The file
// is not trusted: external links, external datasets, filters other than gzip,
// shuffle and fletcher32, and sizes beyond the limits are rejected before
// memory is allocated. Not thread-safe.
class Hdf5Reader {
 public:
  // Throws IoError when the path is no regular file, or the file cannot be
  // opened, is larger than limits.file_bytes or no HDF5 file.
  explicit Hdf5Reader(const std::string& path, const LoadLimits& limits = {});

  // The entry, or nullopt if it is missing; arrays on native:0. Throws IoError
  // naming file and key when it is damaged, of an unsupported type, or more
  // than limits.members entries or limits.total_bytes bytes are read.
  std::optional<SerializedValue> read(std::string_view key) const;

 private:
  std::string where_;
  LoadLimits limits_;
  Hdf5Handle handle_;
  // Counts an entry that is read for the first time.
  void count(const std::string& path, int64_t bytes,
             const std::string& where) const;

  // The entries that have been read, and their bytes together.
  mutable std::set<std::string> read_;
  mutable int64_t total_bytes_ = 0;
};

}  // namespace catena::serializers
