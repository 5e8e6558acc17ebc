#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// Kernels as cudaLaunchKernel takes them: by address, with the addresses of
// their arguments.
namespace catena::cuda::emulation {

// Copies the arguments and returns what one thread of the device does.
using BindKernel = std::function<void()>(const void* kernel, void** params);

void register_kernel(const void* kernel, BindKernel* bind);
// For messages; the symbol at its address by default.
void name_kernel(const void* kernel, std::string_view symbol);
std::string name_of(const void* kernel);
// Null if nothing of that address is registered.
BindKernel* find_kernel(const void* kernel);

// The address by which cudaLaunchKernel knows the kernel.
template <class... Params>
const void* kernel_address(void (*kernel)(Params...)) {
  static_assert((std::is_trivially_copyable_v<Params> && ...),
                "arguments travel to the device byte by byte");
  const void* address = reinterpret_cast<const void*>(kernel);
  register_kernel(
      address, [](const void* at, void** params) -> std::function<void()> {
        const auto copy = [&]<size_t... i>(std::index_sequence<i...>) {
          return std::tuple<std::decay_t<Params>...>(
              *static_cast<const std::decay_t<Params>*>(params[i])...);
        };
        return [function = reinterpret_cast<void (*)(Params...)>(
                    const_cast<void*>(at)),
                arguments = copy(std::index_sequence_for<Params...>())] {
          std::apply(function, arguments);
        };
      });
  return address;
}

}  // namespace catena::cuda::emulation
