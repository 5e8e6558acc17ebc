#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "catena/array/dtype.h"
#include "catena/array/elementwise.h"
#include "catena/array/math.h"

// Conversion of elements, as astype does it.
namespace catena::array {

// From is the type an element is computed in (float for the 2-byte floats), To
// the storage type of the result. Floats are cut toward zero; what an integer
// cannot hold, NaN too, becomes the smallest 64-bit integer, and narrower
// ones keep its low bits (what x86 does; C++ leaves it undefined). Integers
// wrap round. Anything but zero is true.
template <class To>
struct CastOp {
  template <class From>
  static constexpr bool kCopies = std::is_same_v<From, To>;

  template <class From>
  CATENA_HOST_DEVICE auto operator()(From x) const {
    if constexpr (math::Lanes<From>) {
      return x;
    } else if constexpr (std::is_same_v<To, bool>) {
      return x != From(0);
    } else if constexpr (std::is_floating_point_v<From> &&
                         std::is_integral_v<To>) {
      return to_integer(x);
    } else if constexpr (std::is_same_v<To, float16> ||
                         std::is_same_v<To, bfloat16>) {
      if constexpr (std::is_same_v<From, double>) {
        return internal::round_to_odd(x);
      } else {
        return static_cast<float>(x);
      }
    } else {
      return static_cast<To>(x);
    }
  }

 private:
  template <class From>
  static CATENA_HOST_DEVICE To to_integer(From x) {
    constexpr From kLimit = static_cast<From>(9223372036854775808.0);
    constexpr int64_t kMin = -9223372036854775807 - 1;
    if constexpr (std::is_same_v<To, uint64_t>) {
      if (x >= kLimit && x < 2 * kLimit) {
        return static_cast<uint64_t>(static_cast<int64_t>(x - kLimit)) ^
               static_cast<uint64_t>(kMin);
      }
    }
    const bool fits = x >= -kLimit && x < kLimit;
    return static_cast<To>(fits ? static_cast<int64_t>(x) : kMin);
  }
};

// Casts to To, from every dtype.
template <class To>
struct CastTo {
  static constexpr std::string_view kName = "astype";
};
struct CastFamily : ElementwiseFamily {
  template <class Op>
  using Dtypes = AllTypes;
};

}  // namespace catena::array
