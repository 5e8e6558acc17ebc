#pragma once

#include "catena/array/array.h"
#include "catena/functions/cudnn/cudnn_slot.h"
#include "catena/functions/pooling/internal/window_args.h"

namespace catena::functions {

enum class WindowPass : uint8_t { kMaxima, kSums, kSpread };

// Computes `to`, as WindowMax, WindowSum and WindowSpread (window_ops.h) do
// with `from`, both in C order. Maxima come without their positions, which
// cuDNN does not tell: gradients, which go to the first of equal elements, need
// the kernel's. False when cuDNN declines.
inline constinit CudnnSlot<bool(WindowPass pass, const WindowArgs& window,
                                double factor, const Array& from,
                                const Array& to)>
    window_cudnn;

}  // namespace catena::functions
