#pragma once

#include <string_view>

#include "catena/array/array.h"

namespace catena::array {

// Whether writing `to` element by element could overwrite elements of `from`
// before they are read: they share memory and differ in layout.
bool overlaps(const Array& from, const Array& to);

// NumPy's may_share_memory: whether the memory ranges from the first to the
// last element overlap. The elements may still be distinct.
bool may_share_memory(const Array& a, const Array& b);

// Whether both are defined and begin with the same element in memory.
bool begin_together(const Array& a, const Array& b);

// Throws ValueError naming `operation` when elements of `to` share memory, as
// in the views of broadcast_to.
void check_writable(const Array& to, std::string_view operation);

}  // namespace catena::array
