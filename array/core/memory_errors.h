#pragma once

#include <new>
#include <string_view>
#include <utility>

namespace catena {

// Throws an OutOfMemoryError: "load_npz: the system has no more memory".
[[noreturn]] void raise_out_of_memory(std::string_view operation);

// Returns action(). Where containers of the standard library find no memory
// they throw std::bad_alloc, which becomes an OutOfMemoryError here: what a
// program calls throws nothing but Errors, so that one handler is enough.
template <class Action>
decltype(auto) with_memory_errors(std::string_view operation, Action&& action) {
  try {
    return std::forward<Action>(action)();
  } catch (const std::bad_alloc&) {
    raise_out_of_memory(operation);
  }
}

}  // namespace catena
