#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "catena/array/io/load_limits.h"
#include "catena/serializers/serializer.h"

// What the file formats share: a file is a map from keys, such as
// "predictor/l1/W", to entries.
namespace catena::serializers {

// What can be saved and loaded: links, optimizers, iterators, trainers, ...
template <class T>
concept Serializable = requires(T& object, const Serializer& serializer) {
  object.serialize(serializer);
};
using Serialize = std::function<void(const Serializer&)>;

// Lets an object read from the backend; it changes when nothing failed, and
// only then.
void load_from(SerializerBackend& backend, const Serialize& serialize);

struct LoadOptions {
  // The subtree of the file to read, such as "updater/model:main/".
  std::string path = {};
  // Whether an entry that the object asks for must be in the file.
  bool strict = true;
  // Entries that are not read: what they would set stays as it is. Keys as in
  // the file, with the leading path.
  std::set<std::string> ignore_names = {};
  LoadLimits limits = {};
};

// Writes what a tree hands over to a file, in its order. Arrays arrive on the
// CPU.
class ArchiveSerializer : public SerializerBackend {
 public:
  // `format` is what messages call it.
  explicit ArchiveSerializer(std::string_view format) : format_(format) {}
  template <Serializable T>
  void save(T& object) {
    object.serialize(Serializer(*this));
  }
  bool is_writer() const final { return true; }
  void write(const std::string& path, SerializedValue value) final;
  // ValueError: it only writes.
  const SerializedValue* read(const std::string& path) final;
  bool is_strict(const std::string&) const final { return false; }
  std::string name() const final { return format_; }

 private:
  virtual void put(const std::string& key, SerializedValue value) = 0;

  std::string format_;
};

// Reads entries of a file when they are asked for.
class ArchiveDeserializer : public SerializerBackend {
 public:
  ArchiveDeserializer(std::string file, LoadOptions options)
      : file_(std::move(file)), options_(std::move(options)) {}
  // IoError when the file does not fit; then the object is as it was.
  template <Serializable T>
  void load(T& object) {
    load_from(*this, [&](const Serializer& s) { object.serialize(s); });
  }
  bool is_writer() const final { return false; }
  // ValueError: it only reads.
  void write(const std::string& path, SerializedValue value) final;
  const SerializedValue* read(const std::string& path) final;
  bool is_strict(const std::string& path) const final;
  std::string name() const final { return file_; }

 private:
  // The entry, or nothing where there is none. IoError when it is damaged.
  virtual std::optional<SerializedValue> find(const std::string& key) = 0;

  std::string file_;
  LoadOptions options_;
  std::map<std::string, SerializedValue> entries_;
};

}  // namespace catena::serializers
