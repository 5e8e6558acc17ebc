#include "catena/cuda/nvrtc.h"

#include <nvrtc.h>

#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/core/source_location.h"
#include "catena/cuda/error.h"

namespace catena::cuda {
namespace {

void check_nvrtc(nvrtcResult status, std::string_view call,
                 const SourceLocation& where = SourceLocation::current()) {
  if (status != NVRTC_SUCCESS) {
    throw CudaError(call, nvrtcGetErrorString(status), "", where);
  }
}

class Program {
 public:
  explicit Program(const std::string& source) {
    check_nvrtc(nvrtcCreateProgram(&program_, source.c_str(), "generated", 0,
                                   nullptr, nullptr),
                "nvrtcCreateProgram");
  }
  ~Program() { nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcProgram get() const { return program_; }

 private:
  nvrtcProgram program_ = nullptr;
};

}  // namespace

NvrtcResult compile_with_nvrtc(const std::string& source,
                               const std::vector<std::string>& kernels,
                               const std::string& architecture,
                               const std::vector<std::string>& options) {
  const Program program(source);
  for (const std::string& kernel : kernels) {
    check_nvrtc(nvrtcAddNameExpression(program.get(), kernel.c_str()),
                "nvrtcAddNameExpression");
  }
  const std::string target = "--gpu-architecture=sm_" + architecture;
  std::vector<const char*> words = {target.c_str(), "--std=c++20",
                                    "--disable-warnings"};
  for (const std::string& option : options) words.push_back(option.c_str());
  const nvrtcResult status = nvrtcCompileProgram(
      program.get(), static_cast<int>(words.size()), words.data());
  NvrtcResult result;
  size_t size = 0;
  check_nvrtc(nvrtcGetProgramLogSize(program.get(), &size),
              "nvrtcGetProgramLogSize");
  if (size > 1) {
    result.messages.resize(size);
    check_nvrtc(nvrtcGetProgramLog(program.get(), result.messages.data()),
                "nvrtcGetProgramLog");
    result.messages.pop_back();  // a zero
  }
  if (status != NVRTC_SUCCESS) {
    if (status != NVRTC_ERROR_COMPILATION &&
        status != NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID &&
        status != NVRTC_ERROR_INVALID_OPTION) {
      check_nvrtc(status, "nvrtcCompileProgram");
    }
    if (result.messages.empty()) result.messages = nvrtcGetErrorString(status);
    return result;
  }
  result.ok = true;
  for (const std::string& kernel : kernels) {
    const char* lowered = nullptr;
    check_nvrtc(nvrtcGetLoweredName(program.get(), kernel.c_str(), &lowered),
                "nvrtcGetLoweredName");
    result.lowered_names.emplace_back(lowered);
  }
  check_nvrtc(nvrtcGetCUBINSize(program.get(), &size), "nvrtcGetCUBINSize");
  result.cubin.resize(size);
  check_nvrtc(nvrtcGetCUBIN(program.get(), result.cubin.data()),
              "nvrtcGetCUBIN");
  return result;
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  check_nvrtc(nvrtcVersion(&major, &minor), "nvrtcVersion");
  return str(major, ".", minor);
}

}  // namespace catena::cuda
