#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catena/array/io/atomic_file.h"
#include "catena/array/io/load_limits.h"
#include "catena/serializers/serializer.h"

// Arrays, text and none in HDF5 files, in groups by the parts of their keys:
// "predictor/l1/W" is the dataset W in the group l1 of the group predictor.
// Types are those of h5py: bool is its enumeration, text is UTF-8 of variable
// length, none an empty dataset. The library keeps global state, so that one
// thread at a time reads or writes such files.
namespace catena::serializers {

// An object of the library, closed when it goes.
class Hdf5Handle {
 public:
  using Close = int (*)(int64_t);
  Hdf5Handle() = default;
  Hdf5Handle(int64_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept { *this = std::move(other); }
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  ~Hdf5Handle() { reset(); }

  int64_t id() const { return id_; }
  bool is_open() const { return id_ >= 0; }
  // Whether closing worked; what is not open is closed.
  bool reset();

 private:
  int64_t id_ = -1;
  Close close_ = nullptr;
};

// Writes entries one at a time. The file appears with commit(), complete, or
// not at all.
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
  void write_array(const std::string& key, const Array& array);
  void write_text(const std::string& key, const std::string& text);

  array::AtomicFile file_;
  int compression_;
  Hdf5Handle handle_;
};

// Reads entries by key. Bytes of the file are not trusted: links to elsewhere,
// datasets kept in other files, filters other than gzip, shuffle and checksum,
// and sizes beyond the limits are refused before memory is allocated.
class Hdf5Reader {
 public:
  // IoError when the file cannot be opened or is no HDF5 file.
  explicit Hdf5Reader(const std::string& path, const LoadLimits& limits = {});

  // The entry, nothing where there is none; arrays on native:0. IoError naming
  // file and key when it is damaged or nothing that we know.
  std::optional<SerializedValue> read(std::string_view key) const;

 private:
  std::string where_;
  LoadLimits limits_;
  Hdf5Handle handle_;
};

}  // namespace catena::serializers
