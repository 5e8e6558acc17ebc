#include "catena/cuda/cudnn_library.h"

#include <dlfcn.h>

#include "catena/array/error.h"

namespace catena::cuda {
namespace {

// What we were compiled for. Later minor versions have all functions of
// earlier ones.
constexpr size_t kNeeded = CUDNN_MAJOR * 10000;

std::string version_text(size_t version) {
  // As numbers were before version 9.
  if (version < 10000) {
    return str(version / 1000, ".", version / 100 % 10, ".", version % 100);
  }
  return str(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

// dlopen searches where the linker's -rpath said, in LD_LIBRARY_PATH and in the
// system's folders.
struct Library {
  explicit Library(const std::string& file)
      : handle(::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
    if (handle == nullptr) {
      const char* error = ::dlerror();
      problem = str("cuDNN: expected the library ", file, ", of version ",
                    version_text(kNeeded), " or later; ",
                    error != nullptr ? error : "it cannot be loaded");
      return;
    }
    using Version = size_t (*)();
    const auto version =
        reinterpret_cast<Version>(::dlsym(handle, "cudnnGetVersion"));
    if (version == nullptr) {
      problem = str("cuDNN: expected ", file,
                    " to have the function cudnnGetVersion, found none");
    } else if (version() < kNeeded) {
      problem = str("cuDNN: expected version ", version_text(kNeeded),
                    " or later, found ", version_text(version()), " in ", file);
    }
  }

  void* handle;
  std::string problem;
};

const Library& library() {
  // Never unloaded: handles in other threads may outlive statics.
  static const auto& loaded = *new Library(str("libcudnn.so.", CUDNN_MAJOR));
  return loaded;
}

}  // namespace

const std::string& cudnn_problem() { return library().problem; }

void* internal::cudnn_address(std::string_view name) {
  if (!cudnn_problem().empty()) {
    raise<DeviceError>(name, ": ", cudnn_problem());
  }
  const std::string function(name);
  void* const address = ::dlsym(library().handle, function.c_str());
  if (address == nullptr) {
    raise<DeviceError>(name, ": expected a cuDNN that has this function, like ",
                       version_text(CUDNN_VERSION), ", found another");
  }
  return address;
}

std::string internal::problem_of_cudnn(const std::string& file) {
  return Library(file).problem;
}

}  // namespace catena::cuda
