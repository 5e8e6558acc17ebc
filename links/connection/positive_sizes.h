#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/error.h"

namespace catena::links {

// Returns the size. Throws ValueError naming link and argument unless it is
// positive.
inline int64_t check_positive(std::string_view link, std::string_view name,
                              int64_t size) {
  if (size <= 0) {
    raise<ValueError>(link, ": expected ", name, " of at least 1, got ", size);
  }
  return size;
}

}  // namespace catena::links
