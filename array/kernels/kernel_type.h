#pragma once

#include <cstdint>
#include <type_traits>

#include "catena/array/core/float16.h"

// Which types share a kernel. Signed and unsigned integers of one size add,
// multiply and compare for equality identically, and for elements that are only
// moved just the size matters. A functor declares this by
//
//   kIgnoresSign    the resulting bits do not depend on integers' signedness
//   kIgnoresSign64  the same, but only of 64-bit integers: others are widened
//   kBoolIsByte     bool, 0 or 1, gives the same bits as uint8
//   kMovesBits      elements of any type are moved unchanged
//   KernelOp<T>     the functor whose kernel also serves T, if not its own
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
concept IgnoresSign64 = requires {
  requires Op::kIgnoresSign64;
};
template <class Op>
concept BoolIsByte = requires {
  requires Op::kBoolIsByte;
};
template <class Op>
concept MovesBits = requires {
  requires Op::kMovesBits;
};

template <class Op, class T>
inline constexpr bool kHandlesBits =
    MovesBits<Op> || (std::is_same_v<T, bool> && BoolIsByte<Op>) ||
    (std::is_integral_v<T> && std::is_signed_v<T> &&
     (IgnoresSign<Op> || (sizeof(T) == 8 && IgnoresSign64<Op>)));

template <class Op, class T>
struct KernelOp {
  using type = Op;
};
template <class Op, class T>
requires requires { typename Op::template KernelOp<T>; }
struct KernelOp<Op, T> {
  using type = typename Op::template KernelOp<T>;
};

}  // namespace internal

// The storage type whose kernel of Op also serves T.
template <class Op, class T>
using KernelType =
    std::conditional_t<internal::kHandlesBits<Op, T>, BitsOf<T>, T>;

// The functor whose kernel also serves Op for elements of T.
template <class Op, class T>
using KernelOp = typename internal::KernelOp<Op, T>::type;

}  // namespace catena::array
