#include "catena/array/dlpack/dlpack.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/dlpack/dlpack_abi.h"
#include "catena/array/from_data.h"

namespace catena::array {
namespace {

DLDataType type_of(Dtype dtype) {
  const auto bits = static_cast<uint8_t>(item_size(dtype) * 8);
  if (dtype == Dtype::kBFloat16) return {dlpack::kBfloat, bits, 1};
  switch (kind_of(dtype)) {
    case DtypeKind::kBool:
      return {dlpack::kBool, bits, 1};
    case DtypeKind::kInt:
      return {dlpack::kInt, bits, 1};
    case DtypeKind::kUInt:
      return {dlpack::kUInt, bits, 1};
    case DtypeKind::kFloat:
      break;
  }
  return {dlpack::kFloat, bits, 1};
}

Dtype dtype_of_tensor(DLDataType type) {
  for (int k = 0; k < kDtypeCount; ++k) {
    const auto dtype = static_cast<Dtype>(k);
    const DLDataType own = type_of(dtype);
    if (own.code == type.code && own.bits == type.bits &&
        own.lanes == type.lanes) {
      return dtype;
    }
  }
  raise<DtypeError>(
      "from_dlpack: expected bool, integers or floats of 8 to 64 "
      "bits, got type code ",
      int{type.code}, " with ", int{type.bits}, " bits and ", int{type.lanes},
      " lanes");
}

Device device_of_tensor(DLDevice device) {
  switch (device.device_type) {
    case dlpack::kCpu:
    case dlpack::kCudaHost:
      return native_device();
    case dlpack::kCuda:
    case dlpack::kCudaManaged:
      if (device.device_id >= 0 && device.device_id < kMaxDevices) {
        return cuda_device(device.device_id);
      }
      break;
    default:
      break;
  }
  raise<DeviceError>(
      "from_dlpack: expected CPU or CUDA memory, got device type ",
      device.device_type, ", index ", device.device_id);
}

// Owns the array behind an exported tensor.
template <class Managed>
struct Exported {
  Array array;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];
  Managed managed{};

  static void release(Managed* managed) {
    delete static_cast<Exported*>(managed->manager_ctx);
  }
};

bool is_read_only(const Array& a) {
  for (int axis = 0; axis < a.ndim(); ++axis) {
    if (a.strides()[axis] == 0 && a.shape()[axis] > 1) return true;
  }
  return false;
}

template <class Managed>
Managed* make_exported(const Array& a) {
  auto exported = std::make_unique<Exported<Managed>>();
  exported->array = a;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    exported->shape[axis] = a.shape()[axis];
    exported->strides[axis] = a.strides()[axis] / a.itemsize();
  }
  const Device device = a.device();
  Managed& managed = exported->managed;
  managed.dl_tensor = {
      .data = a.raw_data(),
      .device = {device.is_native() ? dlpack::kCpu : dlpack::kCuda,
                 device.is_native() ? 0 : device.index()},
      .ndim = a.ndim(),
      .dtype = type_of(a.dtype()),
      .shape = exported->shape,
      .strides = exported->strides,
      .byte_offset = 0,
  };
  managed.deleter = Exported<Managed>::release;
  managed.manager_ctx = exported.get();
  return &exported.release()->managed;
}

void check_defined(const Array& a) {
  if (!a.defined()) {
    raise<ValueError>("to_dlpack: expected an array, got an undefined one");
  }
}

// Calls the deleter on destruction, once the array owns the tensor.
template <class Managed>
struct Imported {
  explicit Imported(Managed* tensor) : managed(tensor) {}
  Imported(const Imported&) = delete;
  Imported& operator=(const Imported&) = delete;
  ~Imported() {
    if (owns && managed->deleter != nullptr) managed->deleter(managed);
  }

  Managed* managed;
  bool owns = false;
};

Strides strides_of(const DLTensor& tensor, const Shape& shape,
                   int64_t itemsize) {
  if (tensor.strides == nullptr) return contiguous_strides(shape, itemsize);
  Strides strides;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(tensor.strides[axis], itemsize, &bytes)) {
      raise<ShapeError>("from_dlpack: stride ", tensor.strides[axis],
                        " of axis ", axis, " exceeds the address space");
    }
    strides.push_back(bytes);
  }
  return strides;
}

template <class Managed>
Array import_tensor(Managed* managed, bool copy) {
  const DLTensor& tensor = managed->dl_tensor;
  if (tensor.ndim < 0 || tensor.ndim > kMaxDims) {
    raise<ShapeError>("from_dlpack: expected 0 to ", kMaxDims, " axes, got ",
                      tensor.ndim);
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) {
    raise<ValueError>("from_dlpack: expected a shape, got a null pointer");
  }
  const Shape shape(tensor.shape, static_cast<size_t>(tensor.ndim));
  const Dtype dtype = dtype_of_tensor(tensor.dtype);
  // Check before strides are computed from the extents.
  const int64_t size = checked_size(shape, item_size(dtype), "from_dlpack");
  FromDataOptions options;
  options.device = device_of_tensor(tensor.device);
  options.strides = strides_of(tensor, shape, item_size(dtype));
  if (tensor.data == nullptr && size > 0) {
    raise<ValueError>("from_dlpack: expected memory for shape ", shape,
                      ", got a null pointer");
  }
  char* data = nullptr;
  if (tensor.data != nullptr) {
    data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  }
  auto owner = std::make_shared<Imported<Managed>>(managed);
  options.owner = owner;
  const Array array = from_data(data, shape, dtype, options);
  if (!copy) {
    owner->owns = true;
    return array;
  }
  const Array copied = array.copy();
  owner->owns = true;
  return copied;
}

template <class Managed>
void check_given(const Managed* managed) {
  if (managed == nullptr) {
    raise<ValueError>("from_dlpack: expected a tensor, got a null pointer");
  }
}

}  // namespace

DLManagedTensor* to_dlpack(const Array& a) {
  check_defined(a);
  if (is_read_only(a)) {
    raise<ValueError>(
        "to_dlpack: expected an array whose elements are "
        "distinct, got a broadcast view of shape ",
        a.shape(), "; to_dlpack_versioned marks it read-only");
  }
  return make_exported<DLManagedTensor>(a);
}

DLManagedTensorVersioned* to_dlpack_versioned(const Array& a) {
  check_defined(a);
  auto* managed = make_exported<DLManagedTensorVersioned>(a);
  managed->version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
  managed->flags = is_read_only(a) ? dlpack::kReadOnly : 0;
  return managed;
}

Array from_dlpack(DLManagedTensor* tensor) {
  check_given(tensor);
  return import_tensor(tensor, /*copy=*/false);
}

Array from_dlpack(DLManagedTensorVersioned* tensor,
                  const FromDlpackOptions& options) {
  check_given(tensor);
  if (tensor->version.major > dlpack::kMajorVersion) {
    raise<NotImplementedError>(
        "from_dlpack: expected version ", dlpack::kMajorVersion,
        " of DLPack, got ", tensor->version.major, ".", tensor->version.minor);
  }
  const bool read_only = (tensor->flags & dlpack::kReadOnly) != 0;
  if (read_only && !options.copy_read_only) {
    raise<ValueError>(
        "from_dlpack: expected a writable tensor, got one marked read-only; "
        "pass {.copy_read_only = true}");
  }
  return import_tensor(tensor, /*copy=*/read_only);
}

}  // namespace catena::array
