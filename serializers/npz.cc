#include "catena/serializers/npz.h"

#include "catena/array/error.h"

namespace catena::serializers {
namespace {

array::NpyValue to_npy(SerializedValue value) {
  if (auto* array = std::get_if<Array>(&value)) {
    return array::NpyValue(array->to_device(native_device()));
  }
  if (auto* text = std::get_if<std::string>(&value)) {
    return array::NpyValue(std::move(*text));
  }
  return array::NpyValue(array::NpyNone());
}

}  // namespace

void NpzSerializer::write(const std::string& path, SerializedValue value) {
  writer_.write(path, to_npy(std::move(value)));
}

const SerializedValue* NpzSerializer::read(const std::string&) {
  raise<ValueError>("NpzSerializer: expected a write, got a read");
}

NpzDeserializer::NpzDeserializer(const std::string& file,
                                 const LoadNpzOptions& options)
    : file_(file), options_(options), reader_(file, options.limits) {}

void NpzDeserializer::write(const std::string&, SerializedValue) {
  raise<ValueError>("NpzDeserializer: expected a read, got a write");
}

const SerializedValue* NpzDeserializer::read(const std::string& path) {
  const std::string key = options_.path + path;
  if (options_.ignore_names.contains(key)) return nullptr;
  if (const auto it = entries_.find(key); it != entries_.end()) {
    return &it->second;
  }
  if (!reader_.contains(key)) return nullptr;
  const array::NpyValue value = reader_.read(key);
  SerializedValue entry;
  if (value.is_array()) {
    entry = value.array();
  } else if (value.is_text()) {
    entry = value.text();
  }
  return &entries_.emplace(key, std::move(entry)).first->second;
}

bool NpzDeserializer::is_strict(const std::string& path) const {
  return options_.strict &&
         !options_.ignore_names.contains(options_.path + path);
}

void save_npz(const std::string& file,
              const std::function<void(const Serializer&)>& serialize,
              const SaveNpzOptions& options) {
  array::NpzWriter writer(file, options.compression
                                    ? array::NpzCompression::kDeflate
                                    : array::NpzCompression::kStored);
  NpzSerializer backend(writer);
  serialize(Serializer(backend));
  writer.commit();
}

void load_npz(const std::string& file,
              const std::function<void(const Serializer&)>& serialize,
              const LoadNpzOptions& options) {
  NpzDeserializer backend(file, options);
  const Serializer root(backend);
  serialize(root);
  root.commit();
}

}  // namespace catena::serializers
