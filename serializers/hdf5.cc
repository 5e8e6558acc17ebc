#include "catena/serializers/hdf5.h"

namespace catena::serializers {

void HDF5Serializer::put(const std::string& key, SerializedValue value) {
  writer_.write(key, value);
}

HDF5Deserializer::HDF5Deserializer(const std::string& file,
                                   const LoadHdf5Options& options)
    : ArchiveDeserializer(file, options), reader_(file, options.limits) {}

std::optional<SerializedValue> HDF5Deserializer::find(const std::string& key) {
  return reader_.read(key);
}

void save_hdf5(const std::string& file, const Serialize& serialize,
               const SaveHdf5Options& options) {
  Hdf5Writer writer(file, options.compression);
  HDF5Serializer backend(writer);
  serialize(Serializer(backend));
  writer.commit();
}

void load_hdf5(const std::string& file, const Serialize& serialize,
               const LoadHdf5Options& options) {
  HDF5Deserializer backend(file, options);
  load_from(backend, serialize);
}

}  // namespace catena::serializers
