#pragma once

#include "catena/array/array.h"

// Zero-copy exchange of arrays with other libraries by DLPack's C interface
// (https://dmlc.github.io/dlpack). The structures are only declared here;
// DLPack's own header or dlpack_abi.h defines them.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace catena::array {

// A tensor that shares the array's memory: writes are visible to both sides.
// The memory stays valid until the receiver calls the `deleter`, once, on any
// thread. native:N is DLPack's CPU, cuda:N its CUDA device N; the receiver must
// order its work after the device's current stream. Throws ValueError for an
// undefined array. Broadcast views must not be written: the versioned form
// marks them read-only, the unversioned one, which cannot, throws ValueError.
DLManagedTensor* to_dlpack(const Array& a);
DLManagedTensorVersioned* to_dlpack_versioned(const Array& a);

struct FromDlpackOptions {
  NamedFieldsOnly keywords = {};
  // Copy a tensor that is marked read-only. It is rejected otherwise, since
  // arrays are always writable.
  bool copy_read_only = false;
};

// An array over the tensor's memory. On success the array owns the tensor and
// calls the deleter when its last view is destroyed (immediately after a copy).
// If this throws, the caller still owns the tensor. Throws ValueError for a
// null or misaligned pointer or a read-only tensor; ShapeError for more than
// kMaxDims axes, a negative extent or a size that exceeds the address space;
// DtypeError for an element type without a Dtype (complex, vectors, ...);
// DeviceError for devices other than CPU and CUDA and for a device that does
// not exist; NotImplementedError for an interface version later than 1.
Array from_dlpack(DLManagedTensor* tensor);
Array from_dlpack(DLManagedTensorVersioned* tensor,
                  const FromDlpackOptions& options = {});

}  // namespace catena::array
