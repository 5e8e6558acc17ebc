#include "catena/serializers/npz.h"

#include <utility>

namespace catena::serializers {

void NpzSerializer::put(const std::string& key, SerializedValue value) {
  if (auto* array = std::get_if<Array>(&value)) {
    if (array->dtype() == Dtype::kBFloat16) {
      *array = array->astype(Dtype::kFloat32);
    }
    writer_.write(key, std::move(*array));
  } else if (auto* text = std::get_if<std::string>(&value)) {
    writer_.write(key, std::move(*text));
  } else {
    writer_.write(key, array::NpyNone());
  }
}

NpzDeserializer::NpzDeserializer(const std::string& file,
                                 const LoadNpzOptions& options)
    : ArchiveDeserializer(file, options), reader_(file, options.limits) {}

std::optional<SerializedValue> NpzDeserializer::find(const std::string& key) {
  if (!reader_.contains(key)) return std::nullopt;
  const array::NpyValue value = reader_.read(key);
  if (value.is_array()) return value.array();
  if (value.is_text()) return value.text();
  return std::monostate();
}

void save_npz(const std::string& file, const Serialize& serialize,
              const SaveNpzOptions& options) {
  array::NpzWriter writer(file, options.compression
                                    ? array::NpzCompression::kDeflate
                                    : array::NpzCompression::kStored);
  NpzSerializer backend(writer);
  serialize(Serializer(backend));
  writer.commit();
}

void load_npz(const std::string& file, const Serialize& serialize,
              const LoadNpzOptions& options) {
  NpzDeserializer backend(file, options);
  load_from(backend, serialize);
}

}  // namespace catena::serializers
