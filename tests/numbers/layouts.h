#pragma once

#include <span>
#include <string_view>

#include "catena/array/array.h"

// Arrays with the same elements that lie differently in memory.
namespace catena::testing {

struct Layout {
  std::string_view name;
  // An array equal to the argument, in this layout.
  Array (*of)(const Array&);
};

// Contiguous, reversed along all axes or one, every second or third element,
// Fortran order, not at the start of its memory.
std::span<const Layout> every_layout();

}  // namespace catena::testing
