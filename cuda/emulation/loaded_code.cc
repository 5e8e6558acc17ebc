#include "catena/cuda/emulation/loaded_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/shared_object.h"
#include "catena/cuda/emulation/block.h"
#include "catena/cuda/emulation/kernel_registry.h"
#include "catena/cuda/emulation/memory.h"
#include "catena/cuda/emulation/nvrtc_prelude.h"

using catena::cuda::emulation::LoadedKernel;

struct CUkern_st {
  LoadedKernel kernel;
};
// Code that is read when something of it is first asked for.
struct CUlib_st {
  std::string code;
  std::once_flag is_read;
  cudaError_t status = cudaSuccess;  // of reading it
  void* library = nullptr;
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

bool is_elf(const void* code) {
  return std::strncmp(static_cast<const char*>(code), ELFMAG, SELFMAG) == 0;
}

// Up to the section headers, which linkers put at the end; of text, to the zero
// at its end.
size_t size_of_code(const void* code) {
  if (!is_elf(code)) return std::strlen(static_cast<const char*>(code));
  Elf64_Ehdr header;
  std::memcpy(&header, code, sizeof(header));
  return header.e_shoff + size_t{header.e_shentsize} * header.e_shnum;
}

cudaError_t read_code(CUlib_st& library) {
  if (!is_elf(library.code.c_str())) return cudaErrorInvalidPtx;
  Elf64_Ehdr header;
  std::memcpy(&header, library.code.data(), sizeof(header));
  if (header.e_machine == EM_CUDA) return cudaErrorNoKernelImageForDevice;
  try {
    LoadedCode loaded = load_code(library.code);
    library.library = loaded.library;
    for (LoadedKernel& kernel : loaded.kernels) {
      library.kernels.push_back(
          std::make_unique<CUkern_st>(CUkern_st{std::move(kernel)}));
      const CUkern_st* const handle = library.kernels.back().get();
      register_kernel(handle, bind);
      name_kernel(handle, handle->kernel.name);
    }
    return cudaSuccess;
  } catch (const IoError&) {
    return cudaErrorInvalidKernelImage;
  }
}

// What every question about the code is answered with if it cannot be read.
cudaError_t status_of(cudaLibrary_t library) {
  if (library == nullptr) return cudaErrorInvalidResourceHandle;
  std::call_once(library->is_read,
                 [&] { library->status = read_code(*library); });
  return library->status;
}

}  // namespace

std::string entry_point() {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char* at = kNvrtcPrelude; *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
  }
  return str("catena_kernels_", hash);
}

LoadedCode load_code(std::string_view code) {
  void* library = load_shared_object("a CUDA library", code,
                                     RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
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

// As NVIDIA's, takes anything for code at first.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code,
                                cudaJitOption* /*jit_options*/,
                                void** /*jit_values*/, unsigned /*jit_count*/,
                                cudaLibraryOption* /*options*/,
                                void** /*values*/, unsigned /*count*/) {
  auto made = std::make_unique<CUlib_st>();
  made->code.assign(static_cast<const char*>(code),
                    emulation::size_of_code(code));
  *library = made.release();
  return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  if (library == nullptr) return cudaErrorInvalidResourceHandle;
  // Its kernels stay registered.
  if (library->kernels.empty()) delete library;
  return cudaSuccess;
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  const cudaError_t status = emulation::status_of(library);
  if (status != cudaSuccess) return status;
  *count = static_cast<unsigned>(library->kernels.size());
  return cudaSuccess;
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                        cudaLibrary_t library) {
  const cudaError_t status = emulation::status_of(library);
  if (status != cudaSuccess) return status;
  for (size_t i = 0; i < count && i < library->kernels.size(); ++i) {
    kernels[i] = library->kernels[i].get();
  }
  return cudaSuccess;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library,
                                 const char* name) {
  *kernel = nullptr;
  const cudaError_t status = emulation::status_of(library);
  if (status != cudaSuccess) return status;
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
  const cudaError_t status = emulation::status_of(library);
  if (status != cudaSuccess) return status;
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
