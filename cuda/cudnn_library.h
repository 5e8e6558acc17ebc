#pragma once

#include <cudnn.h>

#include <string>
#include <string_view>
#include <utility>

namespace catena::cuda {

// Why cuDNN's functions cannot be called: what was looked for, what was found
// and what is needed. Empty if they can. The first call loads the library:
// programs start without it, and run where it is not installed.
const std::string& cudnn_problem();

namespace internal {

// The address of a function of the library. DeviceError if there is none.
void* cudnn_address(std::string_view name);

// The name of a function, which the compiler knows.
template <auto function>
constexpr std::string_view cudnn_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.rfind("cudnn"));
  return text.substr(0, text.find_first_of(";], )"));
}

// The problem with a library, whose file name is as for dlopen.
std::string problem_of_cudnn(const std::string& file);

}  // namespace internal

// Calls a function of cuDNN:
//   check(call_cudnn<cudnnSetStream>(handle, stream), "cudnnSetStream");
// DeviceError with cudnn_problem(), if there is one.
template <auto function, class... Args>
auto call_cudnn(Args&&... args) {
  static const auto address = reinterpret_cast<decltype(function)>(
      internal::cudnn_address(internal::cudnn_name<function>()));
  return address(std::forward<Args>(args)...);
}

}  // namespace catena::cuda
