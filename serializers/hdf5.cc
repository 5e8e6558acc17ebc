#include "catena/serializers/hdf5.h"

#include <new>

#include "catena/array/core/memory_errors.h"

namespace catena::serializers {

void HDF5Serializer::put(const std::string& key, SerializedValue value) {
  writer_.write(key, value);
}

void save_hdf5(const std::string& file, const Serialize& serialize,
               const SaveHdf5Options& options) try {
  Hdf5Writer writer(file, options.compression);
  HDF5Serializer backend(writer);
  serialize(Serializer(backend));
  writer.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("save_hdf5");
}

}  // namespace catena::serializers
