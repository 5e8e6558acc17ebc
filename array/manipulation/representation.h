#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "catena/array/core/dtype.h"

// Integers as text, and isscalar.
namespace catena::array {

// Binary digits. Negative numbers have a minus sign or, with a width, are in
// two's complement. Pads with zeros to the width, which larger numbers exceed.
// Throws ValueError for a width that is negative or above 2^30.
std::string binary_repr(int64_t number,
                        std::optional<int64_t> width = std::nullopt);

// Digits 0 to 9 and A to Z in a base from 2 to 36, after `padding` zeros, which
// alone represent 0. Throws ValueError for another base, or a padding that is
// negative or above 2^30.
std::string base_repr(int64_t number, int64_t base = 2, int64_t padding = 0);

// Whether the argument is a number rather than an array.
template <class T>
constexpr bool isscalar(const T& /*value*/) {
  return Element<T>;
}

}  // namespace catena::array
