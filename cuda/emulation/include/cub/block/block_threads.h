#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "catena/cuda/emulation/block.h"
#include "catena/cuda/emulation/runtime.h"

// What the emulated functions of a block have in common.
namespace cub::emulation {

inline unsigned own_index() {
  using namespace catena::cuda::emulation;  // NOLINT
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// A value of each thread, and one for all. Shared memory has no constructors.
template <class T, int threads>
class SharedValues {
 public:
  // Every thread calls it first. Reports a use of the storage while threads may
  // still read what the one before left there, which a race on a GPU is.
  void enter(const char* name) {
    namespace emulation = catena::cuda::emulation;
    const dim3& block = emulation::blockDim;
    if (block.x * block.y * block.z != threads) {
      fail(name, "the block has another number of threads");
    }
    if (left_ == emulation::meetings()) {
      fail(name, "the storage is used again without __syncthreads()");
    }
  }
  // Every thread calls it after the last meeting.
  void leave() { left_ = catena::cuda::emulation::meetings(); }

  T get(unsigned index) const { return read(values_[index]); }
  void set(unsigned index, const T& value) { write(values_[index], value); }
  T total() const { return read(total_); }
  void set_total(const T& value) { write(total_, value); }

 private:
  static_assert(std::is_trivially_copyable_v<T>);
  struct alignas(T) Slot {
    char bytes[sizeof(T)];
  };

  static T read(const Slot& slot) {
    T value;
    std::memcpy(&value, slot.bytes, sizeof(T));
    return value;
  }
  static void write(Slot& slot, const T& value) {
    std::memcpy(slot.bytes, &value, sizeof(T));
  }
  static void fail(const char* name, const char* what) {
    std::fprintf(stderr, "CUDA emulation: %s: %s\n", name, what);
    catena::cuda::emulation::fail_device(cudaErrorLaunchFailure);
  }

  Slot values_[threads];
  Slot total_;
  uint64_t left_;
};

}  // namespace cub::emulation
