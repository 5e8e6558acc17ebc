#pragma once

#include <hdf5.h>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/dtype.h"
#include "catena/array/core/error.h"
#include "catena/serializers/hdf5_handle.h"

// Shared by reading and writing HDF5 files: calls into the library and element
// types.
namespace catena::serializers::hdf5 {

static_assert(sizeof(hid_t) == sizeof(int64_t));

// Serializes calls into the library and silences its messages on stderr.
class Library {
 public:
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// The library's description of the last error.
std::string last_error();

// Returns the result of a library call; IoError when it is negative.
template <class Id>
Id checked(Id result, std::string_view where, std::string_view action) {
  if (result < 0) raise<IoError>(where, ": ", action, ": ", last_error());
  return result;
}

inline Hdf5Handle owned(hid_t id, Hdf5Handle::Close close,
                        std::string_view where, std::string_view action) {
  return {checked(id, where, action), close};
}

// The HDF5 types of a dtype's elements in memory and of a text.
Hdf5Handle memory_type(Dtype dtype);
Hdf5Handle text_type(size_t bytes);
// The dtype of a file's elements, if there is one.
std::optional<Dtype> dtype_of_type(hid_t type);

// The parts of a key between slashes; nullopt if one of them is not a name.
std::optional<std::vector<std::string>> parts_of(std::string_view key);

// Attribute with the CRC-32 of a text, since HDF5 has checksums for numbers
// only. Files from other programs lack it.
inline constexpr char kTextChecksum[] = "crc32";

}  // namespace catena::serializers::hdf5
