#include "catena/cuda/cudnn_library.h"

#include "catena/array/core/error.h"

namespace catena::cuda {

VendorLibrary internal::load_cudnn(std::string file) {
  return VendorLibrary(
      {.name = "cuDNN",
       .file = std::move(file),
       .version_function = "cudnnGetVersion",
       .version =
           [](void* function) {
             return reinterpret_cast<decltype(&cudnnGetVersion)>(function)();
           },
       // What we were compiled for. Later minor versions have all functions of
       // earlier ones.
       .least_version = CUDNN_MAJOR * 10000});
}

const VendorLibrary& internal::cudnn_library() {
  static const auto& library =
      *new VendorLibrary(load_cudnn(str("libcudnn.so.", CUDNN_MAJOR)));
  return library;
}

const std::string& cudnn_problem() {
  return internal::cudnn_library().problem();
}

}  // namespace catena::cuda
