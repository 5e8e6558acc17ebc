#pragma once

#include <string>
#include <string_view>

#include "catena/array/io/atomic_file.h"
#include "catena/serializers/hdf5_file_driver.h"
#include "catena/serializers/hdf5_handle.h"
#include "catena/serializers/serializer.h"

namespace catena::serializers {

// Writes arrays, text and none to an HDF5 file, in groups by the parts of their
// keys: "predictor/l1/W" is the dataset W in the group l1 of the group
// predictor. Types are those of h5py: bool is its enumeration, text is
// fixed-length UTF-8, none is an empty dataset. Everything has a checksum; HDF5
// 1.10 and later can read it. commit() creates the file atomically. libhdf5 has
// global state, so HDF5 files are written by one thread at a time.
class Hdf5Writer {
 public:
  // `compression` is the gzip level for arrays of more than one element; 0: no
  // compression. Throws IoError when the file cannot be created, ValueError for
  // a level outside [0, 9].
  Hdf5Writer(const std::string& path, int compression);

  // Arrays on the CPU. Throws ValueError when the key is already in use, empty
  // or has an empty part; IoError when the disk is full.
  void write(std::string_view key, const SerializedValue& value);
  // Call once, after the last write. Throws IoError when that fails.
  void commit();

 private:
  void check_key(std::string_view key) const;
  // Throws IoError unless a property was set: without it the file would be
  // another.
  void set(int status) const;
  Hdf5Handle properties(int64_t of) const;
  Hdf5Handle storage_of(const Array& array) const;
  Hdf5Handle space_of(const std::string& key, int64_t made) const;
  // Creates a dataset. Throws IoError when that fails.
  Hdf5Handle create(const std::string& key, int64_t type, int64_t space,
                    int64_t creation) const;
  void fill(const std::string& key, const Hdf5Handle& dataset, int64_t type,
            const void* data) const;
  // Writes what the library still has of an object. Throws IoError when that
  // fails.
  void close(const std::string& key, Hdf5Handle handle) const;
  void write_array(const std::string& key, const Array& array);
  void write_text(const std::string& key, const std::string& text);

  array::AtomicFile file_;
  std::string where_ = file_.where();  // so that none is made for a call
  hdf5::FileDriver driver_;
  int compression_;
  Hdf5Handle handle_;
};

}  // namespace catena::serializers
