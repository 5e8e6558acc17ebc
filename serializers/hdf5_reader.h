#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catena/array/io/load_limits.h"
#include "catena/serializers/hdf5_handle.h"
#include "catena/serializers/serializer.h"

namespace catena::serializers {

// Reads entries of an HDF5 file by key, laid out as Hdf5Writer does. Bytes of
// the file are not trusted: links to elsewhere, datasets kept in other files,
// filters other than gzip, shuffle and checksum, and sizes beyond the limits
// are refused before memory is allocated. One thread at a time.
class Hdf5Reader {
 public:
  // IoError when the file cannot be opened or is no HDF5 file.
  explicit Hdf5Reader(const std::string& path, const LoadLimits& limits = {});

  // The entry, nothing where there is none; arrays on native:0. IoError naming
  // file and key when it is damaged or nothing that we know.
  std::optional<SerializedValue> read(std::string_view key) const;

 private:
  std::string where_;
  LoadLimits limits_;
  Hdf5Handle handle_;
};

}  // namespace catena::serializers
