#pragma once

#include <cstdint>
#include <type_traits>

#include "catena/array/float16.h"

// Which types share a kernel. Signed and unsigned integers of one size add,
// multiply and compare for equality identically, and for elements that are only
// moved just the size matters. A functor declares this by
//
//   kIgnoresSign  the resulting bits do not depend on integers' signedness
//   kMovesBits    elements of any type are moved unchanged
namespace catena::array {

template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

namespace internal {

template <class Op>
concept IgnoresSign = requires {
  requires Op::kIgnoresSign;
};
template <class Op>
concept MovesBits = requires {
  requires Op::kMovesBits;
};

}  // namespace internal

// The storage type whose kernel of Op also serves T.
template <class Op, class T>
using KernelType =
    std::conditional_t<internal::MovesBits<Op> ||
                           (internal::IgnoresSign<Op> &&
                            std::is_integral_v<T> && std::is_signed_v<T>),
                       BitsOf<T>, T>;

}  // namespace catena::array
