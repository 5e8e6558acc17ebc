#pragma once

#include "catena/functions/cudnn/cudnn_slot.h"

namespace catena::functions {

// Whether the library was found. False where the slot is empty.
inline constinit CudnnSlot<bool()> presence_cudnn;

}  // namespace catena::functions
