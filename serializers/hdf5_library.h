#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/core/error.h"
#include "catena/serializers/hdf5_handle.h"

// Calls into libhdf5, which writes HDF5 files, and its element types.
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

// Returns the result of a library call. Throws IoError when it is negative,
// with the parts of `action` as message: nothing is allocated before, so that
// an object that has been opened is not lost where there is no memory.
template <class Id, class... Action>
Id checked(Id result, std::string_view where, const Action&... action) {
  if (result < 0) raise<IoError>(where, ": ", action..., ": ", last_error());
  return result;
}

// The same for an object, which `close` closes.
template <class... Action>
Hdf5Handle owned(hid_t id, Hdf5Handle::Close close, std::string_view where,
                 const Action&... action) {
  return {checked(id, where, action...), close};
}

// The HDF5 types of a dtype's elements in memory and of a text. Both throw
// IoError when the library fails.
Hdf5Handle memory_type(Dtype dtype);
Hdf5Handle text_type(size_t bytes);

}  // namespace catena::serializers::hdf5
