#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"

namespace catena::array {

struct NonzeroKernel {
  static constexpr std::string_view kName = "nonzero";
  static constexpr bool kCompiledOnce = true;
  using Table = NonzeroKernel;

  // Writes the positions of the set flags in increasing order; `positions` has
  // room for all of them. Both arrays are contiguous on the device.
  void (*run)(Device device, const bool* flags, int64_t size,
              int64_t* positions);
};

}  // namespace catena::array
