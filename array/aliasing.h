#pragma once

#include <string_view>

#include "catena/array/array.h"

namespace catena::array {

// Whether writing `to` element by element could change elements of `from` that
// are still to be read: they share memory and differ in layout.
bool overlaps(const Array& from, const Array& to);

// Whether the bytes from the first to the last element of one array meet those
// of the other, as NumPy's function of this name tells: elements in between may
// still be distinct.
bool may_share_memory(const Array& a, const Array& b);

// ValueError naming `operation` when two elements of `to` share memory, as in
// the views that broadcast_to makes.
void check_writable(const Array& to, std::string_view operation);

}  // namespace catena::array
