// cuda_runtime_api.h: code that was compiled at run time.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/cuda/emulation/devices.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/kernel_registry.h"
#include "catena/cuda/emulation/loaded_code.h"
#include "catena/cuda/emulation/memory.h"
#include "cuda_runtime_api.h"

namespace emulation = catena::cuda::emulation;

struct CUkern_st {
  emulation::LoadedKernel kernel;
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
}  // namespace catena::cuda::emulation

// As NVIDIA's, takes anything for code at first.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code,
                                cudaJitOption* /*jit_options*/,
                                void** /*jit_values*/, unsigned /*jit_count*/,
                                cudaLibraryOption* /*options*/,
                                void** /*values*/, unsigned /*count*/) {
  if (emulation::is_to_fail())
    return emulation::set_last(cudaErrorMemoryAllocation);
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
  return emulation::set_last(
      emulation::reported(cudaSuccess, cudaErrorInvalidResourceHandle));
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  if (emulation::is_to_fail())
    return emulation::set_last(cudaErrorInvalidValue);
  const cudaError_t status = emulation::status_of(library);
  if (status != cudaSuccess) return status;
  *count = static_cast<unsigned>(library->kernels.size());
  return cudaSuccess;
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                        cudaLibrary_t library) {
  if (emulation::is_to_fail())
    return emulation::set_last(cudaErrorInvalidValue);
  const cudaError_t status = emulation::status_of(library);
  if (status != cudaSuccess) return status;
  for (size_t i = 0; i < count && i < library->kernels.size(); ++i) {
    kernels[i] = library->kernels[i].get();
  }
  return cudaSuccess;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library,
                                 const char* name) {
  if (emulation::is_to_fail())
    return emulation::set_last(cudaErrorInvalidValue);
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
  if (emulation::is_to_fail())
    return emulation::set_last(cudaErrorInvalidValue);
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
