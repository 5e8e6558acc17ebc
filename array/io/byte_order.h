#pragma once

#include <cstdint>
#include <span>

namespace catena::array {

// Reverses the bytes of each item, of 1, 2, 4 or 8 bytes: numbers of a file in
// the other byte order. In parallel if there are many.
void reverse_bytes(std::span<char> items, int64_t item_bytes);

}  // namespace catena::array
