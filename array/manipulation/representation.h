#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "catena/array/dtype.h"

// Integers as text, and what a number is.
namespace catena::array {

// Binary digits. Negative numbers have a minus sign or, with a width, are
// complements of two in that many digits; a width fills up with zeros and is
// exceeded where it does not suffice.
std::string binary_repr(int64_t number,
                        std::optional<int64_t> width = std::nullopt);

// Digits 0 to 9 and A to Z in a base from 2 to 36, behind `padding` zeros,
// which stand alone for 0. ValueError for another base or a negative padding.
std::string base_repr(int64_t number, int64_t base = 2, int64_t padding = 0);

// Whether the type is that of a number rather than of an array.
template <class T>
constexpr bool isscalar(const T& /*value*/) {
  return Element<T>;
}

}  // namespace catena::array
