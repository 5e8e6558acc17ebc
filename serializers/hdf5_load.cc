// Apart from saving, so that programs which only load do not link libhdf5.

#include <new>

#include "catena/array/core/memory_errors.h"
#include "catena/serializers/hdf5.h"

namespace catena::serializers {

HDF5Deserializer::HDF5Deserializer(const std::string& file,
                                   const LoadHdf5Options& options)
    : ArchiveDeserializer(file, options), reader_(file, options.limits) {}

std::optional<SerializedValue> HDF5Deserializer::find(const std::string& key) {
  return reader_.read(key);
}

void load_hdf5(const std::string& file, const Serialize& serialize,
               const LoadHdf5Options& options) try {
  HDF5Deserializer backend(file, options);
  load_from(backend, serialize);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_hdf5");
}

}  // namespace catena::serializers
