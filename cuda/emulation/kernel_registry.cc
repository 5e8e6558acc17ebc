#include "catena/cuda/emulation/kernel_registry.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "absl/debugging/symbolize.h"

namespace catena::cuda::emulation {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, BindKernel*> kernels;
  std::unordered_map<const void*, std::string> names;
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

void name_kernel(const void* kernel, std::string_view symbol) {
  // Others are types to the demangler: "f" is float.
  char* demangled = symbol.starts_with("_Z")
                        ? abi::__cxa_demangle(std::string(symbol).c_str(),
                                              nullptr, nullptr, nullptr)
                        : nullptr;
  const std::unique_ptr<char, decltype(&std::free)> name(demangled, &std::free);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.names[kernel] = name != nullptr ? name.get() : std::string(symbol);
}

std::string name_of(const void* kernel) {
  Registry& all = registry();
  {
    const std::lock_guard lock(all.mutex);
    const auto found = all.names.find(kernel);
    if (found != all.names.end()) return found->second;
  }
  char name[2048];
  if (absl::Symbolize(kernel, name, sizeof(name))) return name;
  return "a kernel without a symbol";
}

BindKernel* find_kernel(const void* kernel) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(kernel);
  return found == all.kernels.end() ? nullptr : found->second;
}

}  // namespace catena::cuda::emulation
