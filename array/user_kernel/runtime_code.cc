#include "catena/array/user_kernel/runtime_code.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>

#include "catena/array/error.h"
#include "catena/array/user_kernel/kernel_cache.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/nvrtc.h"

namespace catena::cuda {
namespace {

std::string lines_of(const std::vector<std::string>& names) {
  std::string lines;
  for (const std::string& name : names) lines += name + "\n";
  return lines;
}

// Everything the code depends on.
std::string key_of(const array::UserKernelProgram& program,
                   const std::vector<std::string>& kernels,
                   const std::string& architecture) {
  std::string key = "nvrtc " + nvrtc_version() + "\ndriver " +
                    str(driver_version()) + "\nsm_" + architecture + "\n" +
                    lines_of(kernels);
  for (const std::string& option : program.options) key += option + "\n";
  return key + "\n" + program.source;
}

// A cache entry is the lowered names, each on a line, a NUL character and the
// code.
std::optional<RuntimeCode> load_entry(const std::string& entry, int device) {
  const size_t end = entry.find('\0');
  if (end == std::string::npos) return std::nullopt;
  RuntimeCode code{load_library(entry.substr(end + 1), device), {}};
  std::istringstream names(entry.substr(0, end));
  for (std::string name; std::getline(names, name);) {
    code.lowered_names.push_back(name);
  }
  if (code.library == nullptr) return std::nullopt;
  return code;
}

RuntimeCode make_code(const array::UserKernelProgram& program,
                      const std::vector<std::string>& kernels,
                      const std::string& architecture, const std::string& key,
                      int device) {
  const array::KernelCache cache = array::KernelCache::user();
  if (const auto entry = cache.load(key)) {
    if (auto code = load_entry(*entry, device)) return *code;
  }
  const NvrtcResult result = compile_with_nvrtc(program.source, kernels,
                                                architecture, program.options);
  if (!result.ok) array::throw_compile_error(program, result.messages);
  std::string entry = lines_of(result.lowered_names);
  entry.push_back('\0');
  entry += result.cubin;
  cache.store(key, entry);
  if (auto code = load_entry(entry, device)) return *code;
  raise<DeviceError>(program.name, ": expected the driver to load code for ",
                     cuda_device(device),
                     ", got a refusal; is it older than "
                     "NVRTC ",
                     nvrtc_version(), "?");
}

}  // namespace

const RuntimeCode& runtime_code(const array::UserKernelProgram& program,
                                const std::vector<std::string>& kernels,
                                int device) {
  struct Entry {
    std::mutex mutex;
    std::unique_ptr<const RuntimeCode> code;
  };
  static std::mutex mutex;
  static std::map<std::string, Entry>& entries =
      *new std::map<std::string, Entry>;
  const std::string architecture = compute_capability(device);
  const std::string key = key_of(program, kernels, architecture);
  Entry* entry;
  {
    const std::lock_guard lock(mutex);
    entry = &entries[key];
  }
  // One thread compiles; others that need the same program wait for it.
  const std::lock_guard lock(entry->mutex);
  if (!entry->code) {
    entry->code = std::make_unique<const RuntimeCode>(
        make_code(program, kernels, architecture, key, device));
  }
  return *entry->code;
}

cudaLibrary_t load_library(const std::string& code, int device) {
  const DeviceGuard guard(device);
  cudaLibrary_t library = nullptr;
  const cudaError_t status = cudaLibraryLoadData(
      &library, code.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  ignore(status);
  return status == cudaSuccess ? library : nullptr;
}

const void* find_kernel(const RuntimeCode& code, const std::string& name) {
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, code.library, name.c_str()),
        "cudaLibraryGetKernel");
  return reinterpret_cast<const void*>(kernel);
}

}  // namespace catena::cuda
