#pragma once

#include <compare>
#include <tuple>

#include "catena/array/device.h"

namespace catena {

// Devices in order: native ones before GPUs, then by index. For sorted lists,
// and for devices as keys of maps.
constexpr std::strong_ordering operator<=>(Device a, Device b) {
  return std::tuple(a.backend(), a.index()) <=>
         std::tuple(b.backend(), b.index());
}

}  // namespace catena
