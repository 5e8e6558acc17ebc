#pragma once

namespace catena::functions {

// Whether functions may call cuDNN: there is a GPU, the program was built with
// CUDA, the library is installed, and config().use_cudnn of this thread is not
// Usage::kNever (CATENA_CUDNN=0).
bool cudnn_enabled();

}  // namespace catena::functions
