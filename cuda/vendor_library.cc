#include "catena/cuda/vendor_library.h"

#include <dlfcn.h>

#include "catena/array/core/error.h"

namespace catena::cuda {
namespace {

std::string version_text(size_t version) {
  // As numbers were before cuDNN 9 and NCCL 2.9.
  if (version < 10000) {
    return str(version / 1000, ".", version / 100 % 10, ".", version % 100);
  }
  return str(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

}  // namespace

// dlopen searches where the linker's -rpath said, in LD_LIBRARY_PATH and in the
// system's folders. Never unloaded: handles in other threads may outlive
// statics.
VendorLibrary::VendorLibrary(const Need& need)
    : name_(need.name),
      handle_(::dlopen(need.file.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
  if (handle_ == nullptr) {
    const char* error = ::dlerror();
    problem_ = str(name_, ": expected the library ", need.file, ", of version ",
                   version_text(need.least_version), " or later; ",
                   error != nullptr ? error : "it cannot be loaded");
    return;
  }
  void* const function = ::dlsym(handle_, need.version_function);
  if (function == nullptr) {
    problem_ = str(name_, ": expected ", need.file, " to have the function ",
                   need.version_function, ", found none");
    return;
  }
  const size_t version = need.version(function);
  if (version < need.least_version) {
    problem_ =
        str(name_, ": expected version ", version_text(need.least_version),
            " or later, found ", version_text(version), " in ", need.file);
  }
}

void* VendorLibrary::address(std::string_view function) const {
  if (!problem_.empty()) raise<DeviceError>(function, ": ", problem_);
  void* const address = ::dlsym(handle_, std::string(function).c_str());
  if (address == nullptr) {
    raise<DeviceError>(function, ": expected a version of ", name_,
                       " that has this function, found another");
  }
  return address;
}

}  // namespace catena::cuda
