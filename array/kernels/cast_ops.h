#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/elementwise_args.h"
#include "catena/array/kernels/math.h"

// The element conversions of astype.
namespace catena::array {

// From is the compute type of an element (float for the 16-bit floats), To the
// storage type of the result. Floats are truncated towards zero; a value that
// an integer cannot hold, NaN included, becomes the minimum int64; narrower
// integers keep its low bits (as on x86; undefined in C++). Integers wrap
// around. Nonzero values are true.
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
        return catena::internal::round_to_odd(x);
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

// Casts every dtype to To.
template <class To>
struct CastTo {
  static constexpr std::string_view kName = "astype";
};
struct CastFamily : ElementwiseFamily {
  template <class Op>
  using Dtypes = AllTypes;
};

}  // namespace catena::array
