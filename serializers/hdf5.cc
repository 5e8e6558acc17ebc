#include "catena/serializers/hdf5.h"

namespace catena::serializers {

void HDF5Serializer::put(const std::string& key, SerializedValue value) {
  writer_.write(key, value);
}

void save_hdf5(const std::string& file, const Serialize& serialize,
               const SaveHdf5Options& options) {
  Hdf5Writer writer(file, options.compression);
  HDF5Serializer backend(writer);
  serialize(Serializer(backend));
  writer.commit();
}

}  // namespace catena::serializers
