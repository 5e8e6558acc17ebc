#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/io/npz.h"
#include "catena/serializers/archive.h"

namespace catena::serializers {

// Entries by their keys, "l1/W". They convert to and from the content of .npz
// files:
//
//   array::savez("model.npz", serializer.target());
//   DictionaryDeserializer(array::load_npz("model.npz")).load(link);
class Dictionary : public std::map<std::string, SerializedValue> {
 public:
  using map::map;
  // Throws DtypeError for an array of several strings.
  Dictionary(const array::NpzContents& contents);

  operator array::NpzItems() const;
};

// Collects the entries of a tree in memory, like Chainer's
// DictionarySerializer.
//
//   DictionarySerializer serializer;
//   serializer.save(link);
//   serializer.target().at("l1/W");
//
// Entries are added to those of `target`, which must outlive the serializer; a
// repeated key replaces its entry. `path`, such as "predictor/", is put before
// every key.
class DictionarySerializer final : public ArchiveSerializer {
 public:
  explicit DictionarySerializer(Dictionary& target, std::string path = {})
      : ArchiveSerializer("a dictionary"),
        target_(target),
        path_(std::move(path)) {}
  // With a dictionary of its own.
  explicit DictionarySerializer(Dictionary&& target = {}, std::string path = {})
      : ArchiveSerializer("a dictionary"),
        own_(std::move(target)),
        target_(own_),
        path_(std::move(path)) {}
  DictionarySerializer(const DictionarySerializer&) = delete;
  DictionarySerializer& operator=(const DictionarySerializer&) = delete;

  const Dictionary& target() const { return target_; }

 private:
  void put(const std::string& key, SerializedValue value) override;

  Dictionary own_;
  Dictionary& target_;
  std::string path_;
};

// Reads the entries back; options.path is what DictionarySerializer's was.
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
