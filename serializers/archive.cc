#include "catena/serializers/archive.h"

#include <new>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"

namespace catena::serializers {

void ArchiveSerializer::write(const std::string& path, SerializedValue value) {
  if (auto* array = std::get_if<Array>(&value)) {
    *array = array->to_device(native_device());
  }
  put(path, std::move(value));
}

const SerializedValue* ArchiveSerializer::read(const std::string& path) {
  raise<ValueError>("save to ", format_, ": expected a write, got a read of ",
                    path);
}

void ArchiveDeserializer::write(const std::string& path, SerializedValue) {
  raise<ValueError>("load from ", file_, ": expected a read, got a write of ",
                    path);
}

const SerializedValue* ArchiveDeserializer::read(const std::string& path) {
  const std::string key = options_.path + path;
  if (options_.ignore_names.contains(key)) return nullptr;
  if (const auto it = entries_.find(key); it != entries_.end()) {
    return &it->second;
  }
  std::optional<SerializedValue> entry = find(key);
  if (!entry) return nullptr;
  return &entries_.emplace(key, *std::move(entry)).first->second;
}

bool ArchiveDeserializer::is_strict(const std::string& path) const {
  return options_.strict &&
         !options_.ignore_names.contains(options_.path + path);
}

void load_from(SerializerBackend& backend, const Serialize& serialize) try {
  const Serializer root(backend);
  serialize(root);
  root.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load");
}

}  // namespace catena::serializers
