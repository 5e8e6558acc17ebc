#include "catena/serializers/npz.h"

#include <utility>

#include "catena/array/core/memory_errors.h"
#include "catena/serializers/npy_value.h"

namespace catena::serializers {

void NpzSerializer::put(const std::string& key, SerializedValue value) {
  writer_.write(key, to_npy_value(std::move(value)));
}

NpzDeserializer::NpzDeserializer(const std::string& file,
                                 const LoadNpzOptions& options)
    : ArchiveDeserializer(file, options), reader_(file, options.limits) {}

std::optional<SerializedValue> NpzDeserializer::find(const std::string& key) {
  if (!reader_.contains(key)) return std::nullopt;
  return from_npy_value(reader_.read(key));
}

void save_npz(const std::string& file, const Serialize& serialize,
              const SaveNpzOptions& options) {
  with_memory_errors("save_npz", [&] {
    array::NpzWriter writer(file, options.compression
                                      ? array::NpzCompression::kDeflate
                                      : array::NpzCompression::kStored);
    NpzSerializer backend(writer);
    serialize(Serializer(backend));
    writer.commit();
  });
}

void load_npz(const std::string& file, const Serialize& serialize,
              const LoadNpzOptions& options) {
  with_memory_errors("load_npz", [&] {
    NpzDeserializer backend(file, options);
    load_from(backend, serialize);
  });
}

}  // namespace catena::serializers
