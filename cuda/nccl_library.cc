#include "catena/cuda/nccl_library.h"

namespace catena::cuda {

VendorLibrary internal::load_nccl(std::string file) {
  return VendorLibrary({.name = "NCCL",
                        .file = std::move(file),
                        .version_function = "ncclGetVersion",
                        .version = [](void* function) -> size_t {
                          using Version = ncclResult_t (*)(int*);
                          int version = 0;
                          const ncclResult_t status =
                              reinterpret_cast<Version>(function)(&version);
                          return status == ncclSuccess
                                     ? static_cast<size_t>(version)
                                     : 0;
                        },
                        // The first with all functions that we call.
                        .least_version = 21400});
}

const VendorLibrary& internal::nccl_library() {
  static const auto& library = *new VendorLibrary(load_nccl("libnccl.so.2"));
  return library;
}

}  // namespace catena::cuda
