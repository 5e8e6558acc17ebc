#pragma once

#include <map>
#include <string>

#include "catena/serializers/archive.h"

namespace catena::serializers {

// Entries by their keys, "l1/W".
using Dictionary = std::map<std::string, SerializedValue>;

// Collects the entries of a tree in memory, like Chainer's
// DictionarySerializer.
//
//   DictionarySerializer serializer;
//   serializer.save(link);
//   serializer.target().at("l1/W");
class DictionarySerializer final : public ArchiveSerializer {
 public:
  DictionarySerializer() : ArchiveSerializer("a dictionary") {}
  // Adds to existing entries; a repeated key replaces its entry.
  explicit DictionarySerializer(Dictionary target)
      : ArchiveSerializer("a dictionary"), target_(std::move(target)) {}

  const Dictionary& target() const { return target_; }

 private:
  void put(const std::string& key, SerializedValue value) override;

  Dictionary target_;
};

// Reads the entries back.
class DictionaryDeserializer final : public ArchiveDeserializer {
 public:
  explicit DictionaryDeserializer(Dictionary source,
                                  const LoadOptions& options = {})
      : ArchiveDeserializer("a dictionary", options),
        source_(std::move(source)) {}
  std::vector<std::string> keys() const override;

 private:
  std::optional<SerializedValue> find(const std::string& key) override;

  Dictionary source_;
};

}  // namespace catena::serializers
