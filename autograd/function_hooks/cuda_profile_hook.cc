#include "catena/autograd/function_hooks/cuda_profile_hook.h"

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/autograd/function_node.h"

namespace catena::function_hooks {
namespace {

const BackendTable& cuda_profiling() {
  const BackendTable* table = backend_table(Backend::kCuda);
  if (table == nullptr || table->push_range == nullptr) {
    raise<DeviceError>(
        "CUDAProfileHook: expected a program with CUDA; build with "
        "--config=cuda");
  }
  return *table;
}

}  // namespace

class CUDAProfileHook::Range {
 public:
  Range(const FunctionNode& function, std::string_view pass) {
    cuda_profiling().push_range(str(function.label(), ".", pass));
  }
  ~Range() { backend_table(Backend::kCuda)->pop_range(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

CUDAProfileHook::CUDAProfileHook() { cuda_profiling(); }

CUDAProfileHook::~CUDAProfileHook() = default;

void CUDAProfileHook::forward_preprocess(const FunctionNode& function,
                                         const Arrays&) {
  running_.begin(&function, std::make_unique<Range>(function, "forward"));
}

void CUDAProfileHook::forward_postprocess(const FunctionNode& function,
                                          const Arrays&) {
  running_.end(&function);
}

void CUDAProfileHook::backward_preprocess(const FunctionNode& function,
                                          const Variables&) {
  running_.begin(&function, std::make_unique<Range>(function, "backward"));
}

void CUDAProfileHook::backward_postprocess(const FunctionNode& function,
                                           const Variables&) {
  running_.end(&function);
}

}  // namespace catena::function_hooks
