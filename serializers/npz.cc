#include "catena/serializers/npz.h"

#include <new>
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
              const SaveNpzOptions& options) try {
  array::NpzWriter writer(file, options.compression
                                    ? array::NpzCompression::kDeflate
                                    : array::NpzCompression::kStored);
  NpzSerializer backend(writer);
  serialize(Serializer(backend));
  writer.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("save_npz");
}

void load_npz(const std::string& file, const Serialize& serialize,
              const LoadNpzOptions& options) try {
  NpzDeserializer backend(file, options);
  load_from(backend, serialize);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_npz");
}

}  // namespace catena::serializers
