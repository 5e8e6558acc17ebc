#include "catena/serializers/hdf5_library.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "catena/array/core/quote.h"

namespace catena::serializers {

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

bool Hdf5Handle::reset() {
  if (!is_open()) return true;
  const hdf5::Library library;
  return close_(std::exchange(id_, -1)) >= 0;
}

}  // namespace catena::serializers

namespace catena::serializers::hdf5 {
namespace {

// What a step in making a type returns. A step that fails for want of memory
// would leave another type.
template <class Id>
Id made(Id result) {
  return checked(result, "save_hdf5", "cannot describe the type of elements");
}

Hdf5Handle owned_type(hid_t id) { return {made(id), H5Tclose}; }

// Never destroyed: handles may be closed at exit.
std::recursive_mutex& library_mutex() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

// Two-byte floats, for which the library has no predefined type.
Hdf5Handle half_type(Dtype dtype) {
  const bool is_float16 = dtype == Dtype::kFloat16;
  const size_t mantissa = is_float16 ? 10 : 7;
  Hdf5Handle type = owned_type(H5Tcopy(H5T_IEEE_F32LE));
  made(H5Tset_fields(type.id(), 15, mantissa, 15 - mantissa, 0, mantissa));
  made(H5Tset_size(type.id(), 2));
  made(H5Tset_ebias(type.id(), is_float16 ? 15 : 127));
  return type;
}

// h5py's bool.
Hdf5Handle bool_type() {
  Hdf5Handle type = owned_type(H5Tenum_create(H5T_NATIVE_INT8));
  for (const int8_t value : {0, 1}) {
    made(H5Tenum_insert(type.id(), value == 0 ? "FALSE" : "TRUE", &value));
  }
  return type;
}

}  // namespace

Library::Library() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Library::~Library() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

std::string last_error() {
  std::string text;
  const auto keep_first = [](unsigned n, const H5E_error2_t* error,
                             void* data) -> herr_t {
    if (n == 0 && error->desc != nullptr) {
      *static_cast<std::string*>(data) = error->desc;
    }
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "no details" : array::quote(text);
}

Hdf5Handle text_type(size_t bytes) {
  Hdf5Handle type = owned_type(H5Tcopy(H5T_C_S1));
  made(H5Tset_size(type.id(), std::max<size_t>(bytes, 1)));
  made(H5Tset_strpad(type.id(), H5T_STR_NULLPAD));
  made(H5Tset_cset(type.id(), H5T_CSET_UTF8));
  return type;
}

Hdf5Handle memory_type(Dtype dtype) {
  const auto copy = [](hid_t type) { return owned_type(H5Tcopy(type)); };
  switch (dtype) {
    case Dtype::kBool:
      return bool_type();
    case Dtype::kInt8:
      return copy(H5T_NATIVE_INT8);
    case Dtype::kInt16:
      return copy(H5T_NATIVE_INT16);
    case Dtype::kInt32:
      return copy(H5T_NATIVE_INT32);
    case Dtype::kInt64:
      return copy(H5T_NATIVE_INT64);
    case Dtype::kUInt8:
      return copy(H5T_NATIVE_UINT8);
    case Dtype::kUInt16:
      return copy(H5T_NATIVE_UINT16);
    case Dtype::kUInt32:
      return copy(H5T_NATIVE_UINT32);
    case Dtype::kUInt64:
      return copy(H5T_NATIVE_UINT64);
    case Dtype::kFloat16:
    case Dtype::kBFloat16:
      return half_type(dtype);
    case Dtype::kFloat32:
      return copy(H5T_NATIVE_FLOAT);
    case Dtype::kFloat64:
      return copy(H5T_NATIVE_DOUBLE);
  }
  raise<DtypeError>("save_hdf5: expected a dtype, got ",
                    static_cast<int>(dtype));
}

}  // namespace catena::serializers::hdf5
