#pragma once

#include <string>

#include "catena/serializers/archive.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/hdf5_writer.h"

// HDF5 files in Chainer's layout: a group for each link, a dataset for each
// value. A file that Chainer saved loads here, and the reverse; h5py and the
// HDF5 tools read them.
namespace catena::serializers {

struct SaveHdf5Options {
  // gzip's level, from 1 to 9, for arrays of more than one element; with 0
  // nothing is compressed.
  int compression = 4;
};

using LoadHdf5Options = LoadOptions;

// Writes what the tree hands over to a file.
class HDF5Serializer final : public ArchiveSerializer {
 public:
  explicit HDF5Serializer(Hdf5Writer& writer)
      : ArchiveSerializer("hdf5"), writer_(writer) {}

 private:
  void put(const std::string& key, SerializedValue value) override;

  Hdf5Writer& writer_;
};

// Reads entries from a file when they are asked for.
class HDF5Deserializer final : public ArchiveDeserializer {
 public:
  // IoError when the file cannot be opened or is no HDF5 file.
  explicit HDF5Deserializer(const std::string& file,
                            const LoadHdf5Options& options = {});

 private:
  std::optional<SerializedValue> find(const std::string& key) override;

  Hdf5Reader reader_;
};

// Saves a link, optimizer, trainer or anything else that serializes. The file
// appears complete or not at all. IoError; ValueError for a compression beyond
// 9.
void save_hdf5(const std::string& file, const Serialize& serialize,
               const SaveHdf5Options& options = {});
template <Serializable T>
void save_hdf5(const std::string& file, T& object,
               const SaveHdf5Options& options = {}) {
  save_hdf5(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

// Loads what save_hdf5, or Chainer, has saved. IoError naming file, key,
// expected and actual when the file is damaged or does not fit; then the object
// is as it was.
void load_hdf5(const std::string& file, const Serialize& serialize,
               const LoadHdf5Options& options = {});
template <Serializable T>
void load_hdf5(const std::string& file, T& object,
               const LoadHdf5Options& options = {}) {
  load_hdf5(
      file, [&](const Serializer& s) { object.serialize(s); }, options);
}

}  // namespace catena::serializers
