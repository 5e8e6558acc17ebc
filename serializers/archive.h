#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "catena/array/io/load_limits.h"
#include "catena/serializers/serializer.h"

// Shared by the file formats: a file is a map from keys, such as
// "predictor/l1/W", to entries.
namespace catena::serializers {

// Can be saved and loaded: links, optimizers, iterators, trainers, ...
template <class T>
concept Serializable = requires(T& object, const Serializer& serializer) {
  object.serialize(serializer);
};
using Serialize = std::function<void(const Serializer&)>;

// Reads an object from the backend. If anything fails, the object is unchanged.
void load_from(SerializerBackend& backend, const Serialize& serialize);

struct LoadOptions {
  NamedFieldsOnly keywords = {};
  // The subtree of the file to read, such as "updater/model:main/".
  std::string path = {};
  // Whether a missing entry is an error.
  bool strict = true;
  // Entries to skip; their values in the object stay unchanged. Keys as in the
  // file, including `path`.
  std::set<std::string> ignore_names = {};
  LoadLimits limits = {};
};

// Writes the entries of a tree to a file, in order. put() gets arrays on the
// CPU.
class ArchiveSerializer : public SerializerBackend {
 public:
  // `format` is the name in error messages.
  explicit ArchiveSerializer(std::string_view format) : format_(format) {}
  template <Serializable T>
  void save(T& object) {
    object.serialize(Serializer(*this));
  }
  bool is_writer() const final { return true; }
  void write(const std::string& path, SerializedValue value) final;
  // Throws ValueError: this object only writes.
  const SerializedValue* read(const std::string& path) final;
  bool is_strict(const std::string&) const final { return false; }
  std::string name() const final { return format_; }

 private:
  virtual void put(const std::string& key, SerializedValue value) = 0;

  std::string format_;
};

// Reads entries of a file on demand.
class ArchiveDeserializer : public SerializerBackend {
 public:
  ArchiveDeserializer(std::string file, LoadOptions options)
      : file_(std::move(file)), options_(std::move(options)) {}
  // Throws IoError when the file does not match the object, which is then
  // unchanged.
  template <Serializable T>
  void load(T& object) {
    load_from(*this, [&](const Serializer& s) { object.serialize(s); });
  }
  bool is_writer() const final { return false; }
  // Throws ValueError: this object only reads.
  void write(const std::string& path, SerializedValue value) final;
  const SerializedValue* read(const std::string& path) final;
  bool is_strict(const std::string& path) const final;
  std::string name() const final { return file_; }

 private:
  // The entry, or nullopt if it is missing. Throws IoError when it is damaged.
  virtual std::optional<SerializedValue> find(const std::string& key) = 0;

  std::string file_;
  LoadOptions options_;
  std::map<std::string, SerializedValue> entries_;
};

}  // namespace catena::serializers
