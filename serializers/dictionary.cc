#include "catena/serializers/dictionary.h"

#include <utility>

#include "catena/serializers/npy_value.h"

namespace catena::serializers {

Dictionary::Dictionary(const array::NpzContents& contents) {
  for (const auto& [key, value] : contents) {
    emplace(key, from_npy_value(value));
  }
}

Dictionary::operator array::NpzItems() const {
  array::NpzItems items;
  for (const auto& [key, value] : *this) {
    items.emplace_back(key, to_npy_value(value));
  }
  return items;
}

// Arrays are copied, so later changes to the source do not affect saved
// entries.
void DictionarySerializer::put(const std::string& key, SerializedValue value) {
  if (auto* array = std::get_if<Array>(&value)) *array = array->copy();
  target_.insert_or_assign(path_ + key, std::move(value));
}

std::vector<std::string> DictionaryDeserializer::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : source_) keys.push_back(key);
  return keys;
}

std::optional<SerializedValue> DictionaryDeserializer::find(
    const std::string& key) {
  const auto it = source_.find(key);
  if (it == source_.end()) return std::nullopt;
  return it->second;
}

}  // namespace catena::serializers
