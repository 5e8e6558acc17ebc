#include "catena/cuda/emulation/kernel_registry.h"

#include <mutex>
#include <unordered_map>

namespace catena::cuda::emulation {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, BindKernel*> kernels;
};

Registry& registry() {
  static auto& all = *new Registry;
  return all;
}

}  // namespace

void register_kernel(const void* kernel, BindKernel* bind) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.kernels[kernel] = bind;
}

BindKernel* find_kernel(const void* kernel) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(kernel);
  return found == all.kernels.end() ? nullptr : found->second;
}

}  // namespace catena::cuda::emulation
