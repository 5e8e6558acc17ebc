#pragma once

#include <cstdint>

#include "catena/array/kernel_slot.h"

namespace catena::array {

// The positions of the flags that are set, in rising order; there is memory for
// as many as there are. Everything is contiguous on the device.
using NonzeroKernel = void(Device device, const bool* flags, int64_t size,
                           int64_t* positions);
extern KernelSlot<NonzeroKernel> nonzero_slot;

}  // namespace catena::array
