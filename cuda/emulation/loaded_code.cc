#include "catena/cuda/emulation/loaded_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "catena/array/error.h"
#include "catena/cuda/emulation/block.h"
#include "catena/cuda/emulation/kernel_registry.h"
#include "catena/cuda/emulation/memory.h"
#include "catena/cuda/emulation/nvrtc_prelude.h"

using catena::cuda::emulation::LoadedKernel;

struct CUkern_st {
  LoadedKernel kernel;
};
struct CUlib_st {
  void* library;
  std::vector<std::unique_ptr<CUkern_st>> kernels;
};

namespace catena::cuda::emulation {
namespace {

constexpr DeviceFunctions kDeviceFunctions = {
    .thread_idx = []() -> const uint3* { return &threadIdx; },
    .block_idx = []() -> const uint3* { return &blockIdx; },
    .block_dim = []() -> const dim3* { return &blockDim; },
    .grid_dim = []() -> const dim3* { return &gridDim; },
    .wait_for_block = wait_for_block,
    .wait_for_warp = wait_for_warp,
    .next_exchange = next_exchange,
    .lane = lane,
};

// Copies of a kernel's arguments.
class Arguments {
 public:
  Arguments(const CompiledKernel& kernel, void* const* params) {
    size_t bytes = 0;
    std::vector<size_t> offsets;
    for (size_t i = 0; i < kernel.count; ++i) {
      const auto [size, alignment] = kernel.params[i];
      bytes = (bytes + alignment - 1) / alignment * alignment;
      offsets.push_back(bytes);
      bytes += size;
    }
    bytes_.resize(bytes / sizeof(Chunk) + 1);
    char* begin = bytes_.front().bytes;
    for (size_t i = 0; i < kernel.count; ++i) {
      addresses_.push_back(begin + offsets[i]);
      std::memcpy(addresses_.back(), params[i], kernel.params[i].size);
    }
  }

  void* const* addresses() const { return addresses_.data(); }

 private:
  struct alignas(128) Chunk {
    char bytes[128];
  };
  std::vector<Chunk> bytes_;
  std::vector<void*> addresses_;
};

std::function<void()> bind(const void* handle, void** params) {
  const CompiledKernel& kernel =
      static_cast<const CUkern_st*>(handle)->kernel.compiled;
  return [&kernel, arguments = std::make_shared<Arguments>(kernel, params)] {
    kernel.run(kernel.function, arguments->addresses());
  };
}

std::string symbol_of(void (*function)(), size_t index) {
  Dl_info info{};
  const auto* address = reinterpret_cast<const void*>(function);
  if (dladdr(address, &info) != 0 && info.dli_saddr == address) {
    return info.dli_sname;
  }
  return str("_catena_local_kernel_", index);  // in an unnamed namespace
}

// Up to the section headers, which linkers put at the end; 0 if it is no code
// for this machine.
size_t size_of_code(const void* code) {
  Elf64_Ehdr header;
  std::memcpy(&header, code, SELFMAG);
  if (std::memcmp(&header, ELFMAG, SELFMAG) != 0) return 0;
  std::memcpy(&header, code, sizeof(header));
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN ||
      header.e_machine == EM_CUDA) {
    return 0;
  }
  return header.e_shoff + size_t{header.e_shentsize} * header.e_shnum;
}

// Until the process ends: nothing unloads libraries.
cudaLibrary_t keep(std::unique_ptr<CUlib_st> library) {
  static std::mutex mutex;
  static auto& libraries = *new std::vector<std::unique_ptr<CUlib_st>>;
  const std::lock_guard lock(mutex);
  libraries.push_back(std::move(library));
  return libraries.back().get();
}

}  // namespace

std::string entry_point() {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char* at = kNvrtcPrelude; *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
  }
  return str("catena_kernels_", hash);
}

LoadedCode load_code(const void* code, size_t size) {
  std::string path = std::filesystem::temp_directory_path().string() +
                     "/catena_kernels_XXXXXX";
  const int file = ::mkstemp(path.data());
  if (file < 0) raise<IoError>(path, ": ", std::strerror(errno));
  const auto* bytes = static_cast<const char*>(code);
  for (size_t at = 0; at < size;) {
    const ssize_t written = ::write(file, bytes + at, size - at);
    if (written < 0 && errno != EINTR) break;
    if (written > 0) at += static_cast<size_t>(written);
  }
  ::close(file);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  ::unlink(path.c_str());
  if (library == nullptr) raise<IoError>("dlopen: ", dlerror());
  using Entry = const CompiledKernel*(const DeviceFunctions*);
  void* entry = dlsym(library, entry_point().c_str());
  if (entry == nullptr) raise<IoError>("dlsym: ", dlerror());
  std::vector<LoadedKernel> kernels;
  for (const CompiledKernel* kernel =
           reinterpret_cast<Entry*>(entry)(&kDeviceFunctions);
       kernel->function != nullptr; ++kernel) {
    kernels.push_back({symbol_of(kernel->function, kernels.size()), *kernel});
  }
  return {library, std::move(kernels)};
}

}  // namespace catena::cuda::emulation

namespace emulation = catena::cuda::emulation;

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code,
                                cudaJitOption* /*jit_options*/,
                                void** /*jit_values*/, unsigned /*jit_count*/,
                                cudaLibraryOption* /*options*/,
                                void** /*values*/, unsigned /*count*/) {
  *library = nullptr;
  const size_t size = emulation::size_of_code(code);
  if (size == 0) return cudaErrorInvalidKernelImage;
  try {
    emulation::LoadedCode loaded = emulation::load_code(code, size);
    auto made = std::make_unique<CUlib_st>();
    made->library = loaded.library;
    for (LoadedKernel& kernel : loaded.kernels) {
      made->kernels.push_back(
          std::make_unique<CUkern_st>(CUkern_st{std::move(kernel)}));
      const CUkern_st* const handle = made->kernels.back().get();
      emulation::register_kernel(handle, emulation::bind);
      emulation::name_kernel(handle, handle->kernel.name);
    }
    *library = emulation::keep(std::move(made));
    return cudaSuccess;
  } catch (const catena::IoError&) {
    return cudaErrorInvalidKernelImage;
  }
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library,
                                 const char* name) {
  *kernel = nullptr;
  if (library == nullptr) return cudaErrorInvalidResourceHandle;
  for (const auto& candidate : library->kernels) {
    if (candidate->kernel.name == name) {
      *kernel = candidate.get();
      return cudaSuccess;
    }
  }
  return cudaErrorSymbolNotFound;
}

cudaError_t cudaLibraryGetGlobal(void** data, size_t* bytes,
                                 cudaLibrary_t library, const char* name) {
  if (library == nullptr) return cudaErrorInvalidResourceHandle;
  void* found = dlsym(library->library, name);
  Dl_info info{};
  ElfW(Sym)* symbol = nullptr;
  if (found == nullptr ||
      dladdr1(found, &info, reinterpret_cast<void**>(&symbol),
              RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT) {
    return cudaErrorSymbolNotFound;
  }
  emulation::share_memory(found, symbol->st_size);
  *data = found;
  *bytes = symbol->st_size;
  return cudaSuccess;
}
