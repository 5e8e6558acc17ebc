#include "catena/array/user_kernel/runtime_code.h"

#include <elf.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>

#include "catena/array/core/error.h"
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

// Whether the driver refuses code, rather than that something else fails.
bool is_refusal(cudaError_t status) {
  switch (status) {
    case cudaErrorInvalidDeviceFunction:  // compiled for other GPUs
    case cudaErrorInvalidKernelImage:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilationDisabled:
    case cudaErrorInvalidSource:
      return true;
    default:
      return false;
  }
}

std::string description(cudaError_t status) {
  return str(cudaGetErrorName(status), " (", cudaGetErrorString(status), ")");
}

void check_of(const RuntimeCode& code, cudaError_t status,
              std::string_view call) {
  if (!is_refusal(status)) return check(status, call);
  ignore(status);
  raise<DeviceError>(code.name, ": expected code that the driver loads, got ",
                     description(status), " from ", call);
}

bool has_bytes(const std::string& code, uint64_t offset, uint64_t bytes) {
  return offset <= code.size() && bytes <= code.size() - offset;
}

template <class T>
bool read_at(const std::string& code, uint64_t offset, T& header) {
  if (!has_bytes(code, offset, sizeof(T))) return false;
  std::memcpy(&header, code.data() + offset, sizeof(T));
  return true;
}

// The header of what nvcc writes with -fatbin.
struct FatbinHeader {
  static constexpr uint32_t kMagic = 0xba55ed50;
  uint32_t magic;
  uint16_t version;
  uint16_t header_bytes;
  uint64_t bytes;  // after the header
};

bool is_whole_elf(const std::string& code) {
  Elf64_Ehdr header;
  if (!read_at(code, 0, header) || header.e_shentsize != sizeof(Elf64_Shdr) ||
      !has_bytes(code, header.e_shoff, sizeof(Elf64_Shdr) * header.e_shnum) ||
      !has_bytes(code, header.e_phoff,
                 uint64_t{header.e_phentsize} * header.e_phnum)) {
    return false;
  }
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    read_at(code, header.e_shoff + i * sizeof(section), section);
    if (section.sh_type != SHT_NOBITS &&
        !has_bytes(code, section.sh_offset, section.sh_size)) {
      return false;
    }
  }
  return true;
}

// The driver is not told how long code is, and reads what follows code that was
// cut off.
bool is_whole(const std::string& code) {
  if (code.empty()) return false;
  if (code.starts_with(ELFMAG)) return is_whole_elf(code);
  FatbinHeader header;
  if (!read_at(code, 0, header) || header.magic != FatbinHeader::kMagic) {
    return true;  // text
  }
  return has_bytes(code, header.header_bytes, header.bytes);
}

// Has the driver read the code, for the current device.
cudaError_t use(cudaLibrary_t library) {
  unsigned count = 0;
  cudaError_t status = cudaLibraryGetKernelCount(&count, library);
  if (status != cudaSuccess || count == 0) return status;
  std::vector<cudaKernel_t> kernels(count);
  status = cudaLibraryEnumerateKernels(kernels.data(), count, library);
  if (status != cudaSuccess) return status;
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes,
                               reinterpret_cast<const void*>(kernels[0]));
}

bool has_kernel(cudaLibrary_t library, const std::string& name) {
  cudaKernel_t kernel = nullptr;
  const cudaError_t status =
      cudaLibraryGetKernel(&kernel, library, name.c_str());
  ignore(status);
  return status == cudaSuccess;
}

// A cache entry is the lowered names, each on a line, a NUL character and the
// code. A refusal is one of an entry that is no such thing, too.
struct LoadedEntry {
  RuntimeCode code = {};
  std::string refusal = {};
};

LoadedEntry load_entry(const std::string& entry, const std::string& name,
                       int device) {
  const size_t end = entry.find('\0');
  if (end == std::string::npos) return {.refusal = "no code"};
  const LoadedLibrary loaded = load_library(entry.substr(end + 1), device);
  RuntimeCode code{.library = loaded.library, .name = name};
  if (code.library == nullptr) return {code, loaded.refusal};
  std::istringstream names(entry.substr(0, end));
  for (std::string lowered; std::getline(names, lowered);) {
    if (!has_kernel(code.library, lowered)) {
      ignore(cudaLibraryUnload(code.library));
      return {.refusal = "no kernel " + lowered};
    }
    code.lowered_names.push_back(lowered);
  }
  return {code};
}

RuntimeCode make_code(const array::UserKernelProgram& program,
                      const std::vector<std::string>& kernels,
                      const std::string& architecture, const std::string& key,
                      int device) {
  const array::KernelCache cache = array::KernelCache::user();
  if (const auto entry = cache.load(key)) {
    const LoadedEntry loaded = load_entry(*entry, program.name, device);
    if (loaded.code.library != nullptr) return loaded.code;
  }
  const NvrtcResult result = compile_with_nvrtc(program.source, kernels,
                                                architecture, program.options);
  if (!result.ok) array::throw_compile_error(program, result.messages);
  std::string entry = lines_of(result.lowered_names);
  entry.push_back('\0');
  entry += result.cubin;
  cache.store(key, entry);
  const LoadedEntry loaded = load_entry(entry, program.name, device);
  if (loaded.code.library != nullptr) return loaded.code;
  raise<DeviceError>(program.name, ": expected the driver to load code for ",
                     cuda_device(device), ", got ", loaded.refusal,
                     "; is it older than NVRTC ", nvrtc_version(), "?");
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

LoadedLibrary load_library(const std::string& code, int device) {
  if (!is_whole(code)) return {.refusal = "code that was cut off"};
  const DeviceGuard guard(device);
  cudaLibrary_t library = nullptr;
  cudaError_t status = cudaLibraryLoadData(&library, code.c_str(), nullptr,
                                           nullptr, 0, nullptr, nullptr, 0);
  if (status == cudaSuccess) {
    status = use(library);
    if (status == cudaSuccess) return {.library = library};
    ignore(cudaLibraryUnload(library));
  }
  if (!is_refusal(status)) check(status, "cudaLibraryLoadData");
  ignore(status);
  return {.refusal = description(status)};
}

const void* find_kernel(const RuntimeCode& code, const std::string& name) {
  cudaKernel_t kernel = nullptr;
  check_of(code, cudaLibraryGetKernel(&kernel, code.library, name.c_str()),
           "cudaLibraryGetKernel");
  return reinterpret_cast<const void*>(kernel);
}

RuntimeVariable find_variable(const RuntimeCode& code, const std::string& name,
                              int device) {
  const DeviceGuard guard(device);
  RuntimeVariable found;
  check_of(code,
           cudaLibraryGetGlobal(&found.data, &found.bytes, code.library,
                                name.c_str()),
           "cudaLibraryGetGlobal");
  return found;
}

}  // namespace catena::cuda
