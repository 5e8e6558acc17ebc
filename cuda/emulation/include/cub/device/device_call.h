#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

#include "catena/cuda/emulation/runtime.h"
#include "cuda_runtime_api.h"

// What the emulated functions of a device have in common.
namespace cub::emulation {

// The bytes behind an argument; none behind an iterator that is no pointer.
struct Range {
  template <class T, class N>
  Range(T* data, N size)
      : begin(reinterpret_cast<uintptr_t>(data)),
        end(begin + static_cast<size_t>(size) * sizeof(T)) {}
  template <class Iterator, class N>
  Range(const Iterator& /*any*/, N /*size*/) : begin(0), end(0) {}

  bool overlaps(const Range& other) const {
    return begin < other.end && other.begin < end;
  }

  uintptr_t begin;
  uintptr_t end;
};

// Without storage only says how much of it is needed; otherwise adds `function`
// to the stream, which leaves nothing of use in the storage.
template <class Function>
cudaError_t run_with_storage(void* storage, size_t& storage_bytes, bool valid,
                             cudaStream_t stream, Function function) {
  constexpr size_t kBytes = 767;  // any number but one of an element's size
  if (storage == nullptr) {
    storage_bytes = kBytes;
    return cudaSuccess;
  }
  if (!valid || storage_bytes < kBytes) return cudaErrorInvalidValue;
  return catena::cuda::emulation::submit(
      stream, [storage, function = std::move(function)] {
        std::memset(storage, 0xcb, kBytes);
        function();
        std::memset(storage, 0xcb, kBytes);
      });
}

}  // namespace cub::emulation
