#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "catena/array/array.h"
#include "catena/array/channels_last.h"

namespace catena::optimizers {

// Whether kernels for many arrays take these, whose elements they combine: all
// in C order, or all with their channels last, and on CUDA aligned for the
// packs that threads read.
inline bool are_flat(std::span<const Array> arrays) {
  constexpr uintptr_t kPackBytes = 16;
  const auto all = [&](auto has_order) {
    return std::ranges::all_of(arrays, [&](const Array& a) {
      return has_order(a) &&
             (a.device().shares_host_memory() ||
              reinterpret_cast<uintptr_t>(a.raw_data()) % kPackBytes == 0);
    });
  };
  return all([](const Array& a) { return a.is_contiguous(); }) ||
         all(array::is_channels_last);
}

}  // namespace catena::optimizers
