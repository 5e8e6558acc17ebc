#pragma once

#include <cstdint>
#include <type_traits>

#include "catena/array/float16.h"

// Which types need kernels of their own. Integers of one size add, multiply and
// compare for equality bit by bit alike, and what is only moved has no type at
// all: one kernel serves them. A functor says so by
//
//   kIgnoresSign  the same bits come out whether integers are signed or not
//   kMovesBits    elements come out as they went in, of any type
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
