#pragma once

#include "catena/array/array.h"
#include "catena/functions/cudnn/cudnn_slot.h"
#include "catena/functions/pooling/internal/window_args.h"

namespace catena::functions {

enum class WindowPass : uint8_t { kMaxima, kSums, kSpread };

// Computes `to` from `from`, both C-contiguous, like WindowMax, WindowSum and
// WindowSpread (window_ops.h). cuDNN does not return the positions of maxima;
// since gradients go to the first of equal elements, they need our kernel's.
// Returns false when cuDNN declines.
inline constinit CudnnSlot<bool(WindowPass pass, const WindowArgs& window,
                                double factor, const Array& from,
                                const Array& to)>
    window_cudnn;

}  // namespace catena::functions
