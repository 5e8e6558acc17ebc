#pragma once

#include <string>
#include <string_view>

#include "catena/array/io/atomic_file.h"
#include "catena/serializers/hdf5_handle.h"
#include "catena/serializers/serializer.h"

namespace catena::serializers {

// Writes arrays, text and none to an HDF5 file, in groups by the parts of their
// keys: "predictor/l1/W" is the dataset W in the group l1 of the group
// predictor. Types are those of h5py: bool is its enumeration, text is UTF-8 of
// fixed length, none an empty dataset. Everything has a checksum; HDF5 1.10
// and later read it. The file appears with commit(), complete, or not at all.
// The library keeps global state, so that one thread at a time reads or writes
// such files.
class Hdf5Writer {
 public:
  // `compression` is gzip's level for arrays of more than one element; 0 leaves
  // them as they are. IoError when no file can be created there, ValueError for
  // a level beyond 9.
  Hdf5Writer(const std::string& path, int compression);

  // Arrays on the CPU. ValueError when the key is taken, empty or has an empty
  // part; IoError when the disk is full.
  void write(std::string_view key, const SerializedValue& value);
  // Call once, after the last write. IoError.
  void commit();

 private:
  void check_key(std::string_view key) const;
  // A dataset; IoError.
  Hdf5Handle create(const std::string& key, int64_t type, int64_t space,
                    int64_t creation) const;
  void fill(const std::string& key, const Hdf5Handle& dataset, int64_t type,
            const void* data) const;
  void write_array(const std::string& key, const Array& array);
  void write_text(const std::string& key, const std::string& text);

  array::AtomicFile file_;
  int compression_;
  Hdf5Handle handle_;
};

}  // namespace catena::serializers
