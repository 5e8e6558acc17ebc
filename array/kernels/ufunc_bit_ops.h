#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"

// Bitwise functors of the ufunc table; logical for bool.
namespace catena::array {

struct BitwiseAndOp {
  static constexpr std::string_view kName = "bitwise_and";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};

struct BitwiseOrOp {
  static constexpr std::string_view kName = "bitwise_or";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};

struct BitwiseXorOp {
  static constexpr std::string_view kName = "bitwise_xor";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

struct InvertOp {
  static constexpr std::string_view kName = "invert";
  static constexpr bool kIgnoresSign = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !x;
    } else {
      return static_cast<T>(~x);
    }
  }
};

namespace internal {

template <class T>
CATENA_HOST_DEVICE bool is_shift(T n) {
  return static_cast<std::make_unsigned_t<T>>(n) < 8 * sizeof(T);
}

}  // namespace internal

// Shifts by a negative count, or by T's width or more, give 0.
struct LeftShiftOp {
  static constexpr std::string_view kName = "left_shift";
  static constexpr bool kIgnoresSign = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T n) const {
    if (!internal::is_shift<T>(n)) return 0;
    return static_cast<T>(static_cast<internal::Wrapping<T>>(x) << n);
  }
};

// As LeftShiftOp, but out-of-range shifts of negative values give -1.
struct RightShiftOp {
  static constexpr std::string_view kName = "right_shift";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T n) const {
    if (!internal::is_shift<T>(n)) {
      if constexpr (std::is_signed_v<T>) return x < 0 ? -1 : 0;
      return 0;
    }
    return static_cast<T>(x >> n);
  }
};

}  // namespace catena::array
