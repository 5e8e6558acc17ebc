#pragma once

#include <string_view>

namespace catena {

// Throws an OutOfMemoryError: "load_npz: the system has no more memory".
//
// Containers of the standard library throw std::bad_alloc. What a program calls
// throws nothing but Errors, so that one handler is enough:
//
//   NpzContents load_npz(const std::string& path) try {
//     ...
//   } catch (const std::bad_alloc&) {
//     raise_out_of_memory("load_npz");
//   }
[[noreturn]] void raise_out_of_memory(std::string_view operation);

}  // namespace catena
