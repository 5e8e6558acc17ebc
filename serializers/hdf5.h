#pragma once

#include <string>

#include "catena/serializers/archive.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/hdf5_writer.h"

// HDF5 files in Chainer's layout: a group for each link, a dataset for each
// value. Files are interchangeable with Chainer, and readable by h5py and the
// HDF5 tools.
namespace catena::serializers {

struct SaveHdf5Options {
  NamedFieldsOnly keywords = {};
  // gzip level, 1 to 9, for arrays of more than one element; 0: no compression.
  int compression = 4;
};

// See serializer.h.
using LoadHdf5Options = LoadOptions;

// Writes the entries of a tree to a file.
class HDF5Serializer final : public ArchiveSerializer {
 public:
  explicit HDF5Serializer(Hdf5Writer& writer)
      : ArchiveSerializer("hdf5"), writer_(writer) {}

 private:
  void put(const std::string& key, SerializedValue value) override;

  Hdf5Writer& writer_;
};

// Reads entries from a file on demand.
class HDF5Deserializer final : public ArchiveDeserializer {
 public:
  // Throws IoError when the file cannot be opened or is no HDF5 file.
  explicit HDF5Deserializer(const std::string& file,
                            const LoadHdf5Options& options = {});

 private:
  std::optional<SerializedValue> find(const std::string& key) override;

  Hdf5Reader reader_;
};

// Saves a link, optimizer, trainer or anything else that serializes. The file
// is written atomically. Throws IoError on failure; ValueError for a
// compression level outside [0, 9].
void save_hdf5(const std::string& file, const Serialize& serialize,
               const SaveHdf5Options& options = {});
template <Serializable T>
void save_hdf5(const std::string& file, T& object,
               const SaveHdf5Options& options = {}) {
  save_hdf5(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

// Loads a file saved by save_hdf5 or Chainer. Throws IoError naming file, key,
// expected and actual when the file is damaged or does not match the object,
// which is then unchanged.
void load_hdf5(const std::string& file, const Serialize& serialize,
               const LoadHdf5Options& options = {});
template <Serializable T>
void load_hdf5(const std::string& file, T& object,
               const LoadHdf5Options& options = {}) {
  load_hdf5(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

}  // namespace catena::serializers
