#include "catena/array/user_kernel/raw_module.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/user_kernel/runtime_code.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"

namespace catena::cuda {

// Source text, or what a file has.
struct RawFunction::Code {
  std::string source;
  RawModuleOptions options;
  std::filesystem::path path;  // empty: source is CUDA C++
  mutable std::mutex mutex;
  mutable std::map<int, RuntimeCode> loaded;  // of a file, for each GPU

  const RuntimeCode& load(int device) const {
    if (path.empty()) {
      return runtime_code({.name = "RawModule",
                           .source = "#line 1 \"code\"\n" + source,
                           .texts = {{"code", source}},
                           .options = options.options},
                          options.name_expressions, device);
    }
    // Like compiled code, never unloaded.
    const std::lock_guard lock(mutex);
    RuntimeCode& code = loaded[device];
    if (code.library != nullptr) return code;
    const auto [library, refusal] = load_library(source, device);
    if (library == nullptr) {
      raise<DeviceError>("RawModule: expected code for ", cuda_device(device),
                         " (sm_", compute_capability(device), ") in ",
                         path.string(),
                         ", but the driver refuses it: ", refusal);
    }
    code = {.library = library, .name = "RawModule: " + path.string()};
    return code;
  }

  // As the driver knows it.
  std::string lowered(const RuntimeCode& code, const std::string& name) const {
    const auto& names = options.name_expressions;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return name;
    return code.lowered_names[static_cast<size_t>(found - names.begin())];
  }
};

RawFunction::RawFunction(std::shared_ptr<const Code> code, std::string name)
    : code_(std::move(code)), name_(std::move(name)) {}

void RawFunction::operator()(LaunchExtent grid, LaunchExtent block,
                             std::initializer_list<RawKernelArg> args,
                             const RawKernelOptions& options) const {
  const auto find = [&](int device) {
    const RuntimeCode& code = code_->load(device);
    return find_kernel(code, code_->lowered(code, name_));
  };
  internal::launch_raw(name_, find, grid, block, args, options);
}

RawModule::RawModule(std::string code, const RawModuleOptions& options) {
  auto made = std::make_shared<RawFunction::Code>();
  made->source = std::move(code);
  made->options = options;
  code_ = std::move(made);
}

RawModule RawModule::from_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  auto made = std::make_shared<RawFunction::Code>();
  made->source.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || made->source.empty()) {
    raise<IoError>("RawModule: expected a file with code, cannot read ",
                   path.string());
  }
  made->path = path;
  return RawModule(std::move(made));
}

RawFunction RawModule::get_function(const std::string& name) const {
  return RawFunction(code_, name);
}

MemoryPointer RawModule::get_global(const std::string& name,
                                    std::optional<int> device) const {
  const int where = device.value_or(default_device());
  const RuntimeCode& code = code_->load(where);
  const auto [data, bytes] =
      find_variable(code, code_->lowered(code, name), where);
  return MemoryPointer(std::const_pointer_cast<RawFunction::Code>(code_), data,
                       static_cast<int64_t>(bytes), where);
}

}  // namespace catena::cuda
