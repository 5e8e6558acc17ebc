#pragma once

#include <string_view>

#include "catena/array/core/error.h"
#include "catena/autograd/variable.h"

// For classes with a method that calls one for the CPU or one for GPUs.
namespace catena::internal {

// Whether the one for the CPU works on these arrays, judging by the first.
inline bool is_on_host(const Arrays& arrays) {
  return arrays.empty() || arrays[0].device().shares_host_memory();
}

[[noreturn]] inline void raise_not_overridden(std::string_view owner,
                                              std::string_view methods) {
  raise<NotImplementedError>(owner, ": expected the class to override ",
                             methods);
}

}  // namespace catena::internal
