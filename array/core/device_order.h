#pragma once

#include <compare>
#include <tuple>

#include "catena/array/core/device.h"

namespace catena {

// Orders native devices before GPUs, then by index, for sorted lists and map
// keys.
constexpr std::strong_ordering operator<=>(Device a, Device b) {
  return std::tuple(a.backend(), a.index()) <=>
         std::tuple(b.backend(), b.index());
}

}  // namespace catena
