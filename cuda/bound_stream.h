#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "catena/cuda/stream.h"

namespace catena::cuda {

// The stream to which a library handle is bound.
class BoundStream {
 public:
  // Whether the handle must be bound to `stream`: it is a different stream, or
  // could be, since the address of a destroyed stream can be reused.
  bool differs_from(cudaStream_t stream) const {
    return !bound_ || stream_ != stream || ended_ != internal::ended_streams();
  }
  void set(cudaStream_t stream) {
    bound_ = true;
    stream_ = stream;
    ended_ = internal::ended_streams();
  }
  void forget() { bound_ = false; }

 private:
  bool bound_ = false;
  cudaStream_t stream_ = nullptr;
  uint64_t ended_ = 0;
};

}  // namespace catena::cuda
