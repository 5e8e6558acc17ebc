#pragma once

#include "catena/array/array.h"

// Arrays for other libraries, and theirs for us, without a copy: DLPack's C
// interface (https://dmlc.github.io/dlpack). The structures are defined in
// DLPack's own header, or in dlpack_abi.h; here they are only named.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace catena::array {

// The array's memory, shape and strides as a tensor that shares them: both
// sides see what the other writes. The receiver calls its `deleter` once, on
// any thread; until then the memory stays. native:N is DLPack's CPU, cuda:N its
// CUDA device N, whose work the receiver has to order after the device's
// current stream. ValueError for an undefined array; in the form without a
// version also for a broadcast view, which must not be written and which that
// form cannot mark; the other one marks it read-only.
DLManagedTensor* to_dlpack(const Array& a);
DLManagedTensorVersioned* to_dlpack_versioned(const Array& a);

struct FromDlpackOptions {
  // Copies a tensor that is marked read-only, which is refused otherwise, since
  // an array can always be written.
  bool copy_read_only = false;
};

// An array over the tensor's memory. On success the tensor is the array's,
// whose last view calls the deleter, once (a copy at once); when this throws
// the tensor is untouched and still the caller's. ValueError on a null or
// misaligned pointer or a read-only tensor, ShapeError on more than kMaxDims
// axes, a negative extent or a size that no address can count, DtypeError on
// an element type without a Dtype (complex, vectors, ...), DeviceError on
// other devices than CPU and CUDA or one that is not there,
// NotImplementedError on a version of the interface later than 1.
Array from_dlpack(DLManagedTensor* tensor);
Array from_dlpack(DLManagedTensorVersioned* tensor,
                  const FromDlpackOptions& options = {});

}  // namespace catena::array
