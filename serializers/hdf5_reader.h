#pragma once

#include <optional>
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
  // Throws IoError when the file cannot be opened or is no HDF5 file.
  explicit Hdf5Reader(const std::string& path, const LoadLimits& limits = {});

  // The entry, or nullopt if it is missing; arrays on native:0. Throws IoError
  // naming file and key when it is damaged or of an unsupported type.
  std::optional<SerializedValue> read(std::string_view key) const;

 private:
  std::string where_;
  LoadLimits limits_;
  Hdf5Handle handle_;
};

}  // namespace catena::serializers
