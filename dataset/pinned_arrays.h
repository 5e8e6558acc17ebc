#pragma once

#include "catena/array/array.h"
#include "catena/array/core/host_transfer.h"

// Arrays in page-locked host memory, from which GPUs read while they compute.
namespace catena::dataset {

// Whether the backend is linked, has a device and uses page-locked memory.
bool uses_pinned_memory(Backend backend);

// An uninitialized array on native:0 in memory that the backend's devices
// access directly. Throws OutOfMemoryError.
Array empty_pinned(const Shape& shape, Dtype dtype, Backend backend);

// x if it is a contiguous array in such memory, else a copy that is.
Array in_pinned_memory(const Array& x, Backend backend);

// The copy of such an array on the queue's device. x must not be modified
// before it has been copied.
Array to_device(HostTransfer& queue, const Array& x);

}  // namespace catena::dataset
