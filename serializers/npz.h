#pragma once

#include <string>

#include "catena/array/io/npz.h"
#include "catena/serializers/archive.h"

// NumPy archives in Chainer's key layout: "predictor/l1/W", "t", ... Files are
// interchangeable with Chainer.
namespace catena::serializers {

struct SaveNpzOptions {
  NamedFieldsOnly keywords = {};
  bool compression = true;
};

// See serializer.h.
using LoadNpzOptions = LoadOptions;

// Writes the entries of a tree to an archive, in order. bfloat16, which the
// format lacks, is stored as float32 and read back without loss.
class NpzSerializer final : public ArchiveSerializer {
 public:
  explicit NpzSerializer(array::NpzWriter& writer)
      : ArchiveSerializer("npz"), writer_(writer) {}

 private:
  void put(const std::string& key, SerializedValue value) override;

  array::NpzWriter& writer_;
};

// Reads entries from an archive on demand.
class NpzDeserializer final : public ArchiveDeserializer {
 public:
  // Throws IoError when the file cannot be opened or is not an archive.
  explicit NpzDeserializer(const std::string& file,
                           const LoadNpzOptions& options = {});
  std::vector<std::string> keys() const override { return reader_.keys(); }

 private:
  std::optional<SerializedValue> find(const std::string& key) override;

  array::NpzReader reader_;
};

// Saves a link, optimizer, trainer or anything else that serializes. The file
// is written atomically. Throws IoError on failure.
void save_npz(const std::string& file, const Serialize& serialize,
              const SaveNpzOptions& options = {});
template <Serializable T>
void save_npz(const std::string& file, T& object,
              const SaveNpzOptions& options = {}) {
  save_npz(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

// Loads a file saved by save_npz or Chainer. Throws IoError naming file, key,
// expected and actual when the file is damaged or does not match the object,
// which is then unchanged.
void load_npz(const std::string& file, const Serialize& serialize,
              const LoadNpzOptions& options = {});
template <Serializable T>
void load_npz(const std::string& file, T& object,
              const LoadNpzOptions& options = {}) {
  load_npz(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

}  // namespace catena::serializers
