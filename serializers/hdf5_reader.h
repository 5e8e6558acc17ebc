#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "catena/array/io/load_limits.h"
#include "catena/serializers/serializer.h"

namespace catena::serializers {

// Reads entries of an HDF5 file by key: numbers, bool and text as h5py and
// Hdf5Writer store them. The file is not trusted, and libhdf5 has no part in
// reading it. Links to paths and to other files, data in other files, filters
// other than gzip, shuffle and fletcher32, elements of other types, and sizes
// beyond the limits are rejected before memory is allocated. A reader is for
// one thread at a time; different readers may be used at once.
class Hdf5Reader {
 public:
  // Throws IoError when the path is no regular file, or the file cannot be
  // opened, is larger than limits.file_bytes, no HDF5 file, cut short, or open
  // for writing.
  explicit Hdf5Reader(const std::string& path, const LoadLimits& limits = {});
  Hdf5Reader(Hdf5Reader&&) noexcept;
  ~Hdf5Reader();

  // The entry, or nullopt if it is missing; arrays on native:0. Throws IoError
  // naming file and key when it is damaged, of an unsupported type, or more
  // than limits.members entries or limits.total_bytes bytes are read;
  // OutOfMemoryError when there is no memory for it.
  std::optional<SerializedValue> read(std::string_view key) const;

 private:
  // The open file, and the groups in it that have been read.
  struct Contents;

  // Counts an entry that is read for the first time.
  void count(std::string_view key, int64_t bytes,
             const std::string& where) const;

  LoadLimits limits_;
  std::unique_ptr<Contents> contents_;
  // The entries that have been read, and their bytes together.
  mutable std::set<std::string, std::less<>> read_;
  mutable int64_t total_bytes_ = 0;
};

}  // namespace catena::serializers
