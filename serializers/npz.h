#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "catena/array/io/load_limits.h"
#include "catena/array/io/npz.h"
#include "catena/serializers/serializer.h"

// NumPy archives in Chainer's key layout: "predictor/l1/W", "t", ... A file
// that Chainer saved loads here, and the reverse.
namespace catena::serializers {

template <class T>
concept Serializable = requires(T& object, const Serializer& serializer) {
  object.serialize(serializer);
};

struct SaveNpzOptions {
  bool compression = true;
};

struct LoadNpzOptions {
  // The subtree of the file to read, such as "updater/model:main/".
  std::string path = {};
  // Whether an entry that the object asks for must be in the file.
  bool strict = true;
  // Entries that are not read: what they would set stays as it is. Keys as in
  // the file, with the leading path.
  std::set<std::string> ignore_names = {};
  LoadLimits limits = {};
};

// Writes what the tree hands over, in its order, to an archive.
class NpzSerializer final : public SerializerBackend {
 public:
  explicit NpzSerializer(array::NpzWriter& writer) : writer_(writer) {}
  bool is_writer() const override { return true; }
  void write(const std::string& path, SerializedValue value) override;
  const SerializedValue* read(const std::string& path) override;
  bool is_strict(const std::string&) const override { return false; }
  std::string name() const override { return "npz"; }

 private:
  array::NpzWriter& writer_;
};

// Reads entries from an archive when they are asked for.
class NpzDeserializer final : public SerializerBackend {
 public:
  // IoError when the file cannot be opened or is no archive.
  explicit NpzDeserializer(const std::string& file,
                           const LoadNpzOptions& options = {});
  bool is_writer() const override { return false; }
  void write(const std::string& path, SerializedValue value) override;
  const SerializedValue* read(const std::string& path) override;
  bool is_strict(const std::string& path) const override;
  std::string name() const override { return file_; }

 private:
  std::string file_;
  LoadNpzOptions options_;
  array::NpzReader reader_;
  std::map<std::string, SerializedValue> entries_;
};

// Saves a link, optimizer, trainer or anything else that serializes. The file
// appears complete or not at all. IoError.
void save_npz(const std::string& file,
              const std::function<void(const Serializer&)>& serialize,
              const SaveNpzOptions& options = {});
template <Serializable T>
void save_npz(const std::string& file, T& object,
              const SaveNpzOptions& options = {}) {
  save_npz(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

// Loads what save_npz, or Chainer, has saved. IoError naming file, key,
// expected and actual when the file is damaged or does not fit; then the object
// is as it was.
void load_npz(const std::string& file,
              const std::function<void(const Serializer&)>& serialize,
              const LoadNpzOptions& options = {});
template <Serializable T>
void load_npz(const std::string& file, T& object,
              const LoadNpzOptions& options = {}) {
  load_npz(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

}  // namespace catena::serializers
