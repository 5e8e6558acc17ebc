#pragma once

#include <cstdint>

#include "catena/array/array.h"

namespace catena::optimizers {

// Whether kernels for many arrays take this one: contiguous and, on CUDA,
// aligned for the packs that threads read.
inline bool is_flat(const Array& a) {
  constexpr uintptr_t kPackBytes = 16;
  return a.is_contiguous() &&
         (a.device().is_native() ||
          reinterpret_cast<uintptr_t>(a.raw_data()) % kPackBytes == 0);
}

}  // namespace catena::optimizers
