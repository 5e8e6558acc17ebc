#pragma once

#include <hdf5.h>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/dtype.h"
#include "catena/array/error.h"
#include "catena/serializers/hdf5_handle.h"

// What reading and writing of HDF5 files share: calls into the library, and the
// types of elements.
namespace catena::serializers::hdf5 {

static_assert(sizeof(hid_t) == sizeof(int64_t));

// One call into the library at a time, without its own messages on stderr.
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

// What went wrong, in the library's words.
std::string last_error();

// The results of the library's calls, which are negative when they fail;
// IoError then.
template <class Id>
Id checked(Id result, std::string_view where, std::string_view action) {
  if (result < 0) raise<IoError>(where, ": ", action, ": ", last_error());
  return result;
}

inline Hdf5Handle owned(hid_t id, Hdf5Handle::Close close,
                        std::string_view where, std::string_view action) {
  return {checked(id, where, action), close};
}

// The type of a dtype's elements in memory, and of a text.
Hdf5Handle memory_type(Dtype dtype);
Hdf5Handle text_type(size_t bytes);
// The dtype of a file's elements, if they are of one.
std::optional<Dtype> dtype_of_type(hid_t type);

// The names between the slashes of a key, if they are names.
std::optional<std::vector<std::string>> parts_of(std::string_view key);

// The attribute of a text with its CRC-32, which the format has for numbers
// only. Files of others lack it.
inline constexpr char kTextChecksum[] = "crc32";

}  // namespace catena::serializers::hdf5
