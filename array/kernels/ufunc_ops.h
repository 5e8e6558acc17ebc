#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "catena/array/kernels/kernel_type.h"
#include "catena/array/kernels/math.h"

// The functors of the ufunc table (ufunc_table.h) for arithmetic, comparison
// and logic, and those that autograd differentiates; the others are in
// ufunc_float_ops.h and ufunc_bit_ops.h. Each is written once for scalars, the
// CPU's vector lanes and CUDA. Multiple results are passed by reference after
// the arguments.
namespace catena::array {

namespace internal {

// Integers wrap around, as in NumPy. Signed ones are computed as unsigned,
// since signed overflow is undefined.
template <class T>
using Wrapping =
    std::make_unsigned_t<std::conditional_t<(sizeof(T) < sizeof(int)), int, T>>;

template <class T, class F>
CATENA_HOST_DEVICE T wrap(T a, T b, F f) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<T>(
        f(static_cast<Wrapping<T>>(a), static_cast<Wrapping<T>>(b)));
  } else {
    return static_cast<T>(f(a, b));
  }
}

template <class T>
CATENA_HOST_DEVICE T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    // 1 / base^n, truncated. The routine rejects negative exponents that are
    // C++ numbers; those in arrays get here.
    if (exponent < 0) {
      if (base == 1) return 1;
      return base == -1 ? ((exponent & 1) ? T(-1) : T(1)) : T(0);
    }
  }
  using U = Wrapping<T>;
  U result = 1;
  U factor = static_cast<U>(base);
  for (auto n = static_cast<U>(exponent); n != 0; n >>= 1) {
    if (n & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

// Integer a / b, truncated; b is not 0, and not -1 if a is the minimum.
template <class T>
CATENA_HOST_DEVICE T integer_quotient(T a, T b) {
#ifndef __CUDA_ARCH__
  // SIMD instruction sets divide floats but not integers. No quotient is
  // rounded up to the next integer: it is at least 1 / b away, and these floats
  // have enough bits to represent that.
  if constexpr (sizeof(T) <= 2) {
    return static_cast<T>(static_cast<float>(a) / static_cast<float>(b));
  } else if constexpr (sizeof(T) == 4) {
    return static_cast<T>(static_cast<double>(a) / static_cast<double>(b));
  }
#endif
  return static_cast<T>(a / b);
}

// The quotient rounded towards 0 and the remainder. Division by 0 gives 0 and
// remainder 0; the minimum divided by -1 gives the minimum.
template <class T>
struct CutDivision {
  T quotient;
  T rest;

  CATENA_HOST_DEVICE CutDivision(T a, T b) {
    using U = Wrapping<T>;
    bool is_regular = b != 0;
    bool negates = false;
    if constexpr (std::is_signed_v<T>) {
      negates = b == T(-1);
      is_regular = is_regular && !negates;
    }
    const T divisor = is_regular ? b : T(1);
    const T cut = integer_quotient(a, divisor);
    const auto left = static_cast<T>(
        static_cast<U>(a) - static_cast<U>(cut) * static_cast<U>(divisor));
    const auto negative = static_cast<T>(U{0} - static_cast<U>(a));
    quotient = b == 0 ? T(0) : negates ? negative : cut;
    rest = left;
  }

  // Whether the floored quotient is one less.
  CATENA_HOST_DEVICE bool exceeds(T b) const {
    return rest != 0 && (rest < 0) != (b < 0);
  }
};

}  // namespace internal

struct AddOp {
  static constexpr std::string_view kName = "add";
  static constexpr bool kIgnoresSign = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    return internal::wrap(a, b, [](auto x, auto y) { return x + y; });
  }
};

struct SubtractOp {
  static constexpr std::string_view kName = "subtract";
  static constexpr bool kIgnoresSign = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    return internal::wrap(a, b, [](auto x, auto y) { return x - y; });
  }
};

struct MultiplyOp {
  static constexpr std::string_view kName = "multiply";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else {
      return internal::wrap(a, b, [](auto x, auto y) { return x * y; });
    }
  }
};

// a b + c in one pass over memory; whether the product is rounded depends on
// the processor.
struct MultiplyAddOp {
  static constexpr std::string_view kName = "multiply_add";
  static constexpr bool kIgnoresSign = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b, T c) const {
    return AddOp()(MultiplyOp()(a, b), c);
  }
};

struct TrueDivideOp {
  static constexpr std::string_view kName = "true_divide";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    return a / b;
  }
};

// Rounds down, as Python does. An integer divided by 0 gives 0.
struct FloorDivideOp {
  static constexpr std::string_view kName = "floor_divide";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (b == 0) return a / b;
      // Computed from the remainder, which is exact, as in Python.
      const T rest = std::fmod(a, b);
      T quotient = (a - rest) / b;
      if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
      if (quotient == 0) return std::copysign(T(0), a / b);
      const T floor = std::floor(quotient);
      return quotient - floor > T(0.5) ? floor + 1 : floor;
    } else {
      const internal::CutDivision<T> cut(a, b);
      return static_cast<T>(cut.quotient - cut.exceeds(b));
    }
  }
};

// Has the divisor's sign, as in Python. An integer modulo 0 gives 0.
struct RemainderOp {
  static constexpr std::string_view kName = "remainder";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = std::fmod(a, b);
      if (rest == 0) return std::copysign(T(0), b);
      return (b < 0) != (rest < 0) ? rest + b : rest;
    } else {
      const internal::CutDivision<T> cut(a, b);
      return static_cast<T>(cut.exceeds(b) ? cut.rest + b : cut.rest);
    }
  }
};

// Has the dividend's sign, as in C. An integer modulo 0 gives 0.
struct FmodOp {
  static constexpr std::string_view kName = "fmod";
  template <class T>
  using KernelOp =
      std::conditional_t<std::is_unsigned_v<T>, RemainderOp, FmodOp>;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      return internal::CutDivision<T>(a, b).rest;
    }
  }
};

// The floored quotient and its remainder.
struct DivmodOp {
  static constexpr std::string_view kName = "divmod";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T a, T b, T& quotient, T& rest) const {
    quotient = FloorDivideOp()(a, b);
    rest = RemainderOp()(a, b);
  }
};

struct PowerOp {
  static constexpr std::string_view kName = "power";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return internal::integer_power(a, b);
    } else {
      return math::pow(a, b);
    }
  }
};

// NaN when either is NaN.
struct MaximumOp {
  static constexpr std::string_view kName = "maximum";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::Floating<T>) {
      return math::select(a != a, a, math::max(a, b));
    } else {
      return a > b ? a : b;
    }
  }
};

struct MinimumOp {
  static constexpr std::string_view kName = "minimum";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::Floating<T>) {
      return math::select(a != a, a, math::min(a, b));
    } else {
      return a < b ? a : b;
    }
  }
};

// The other operand if one is NaN.
struct FmaxOp {
  static constexpr std::string_view kName = "fmax";
  template <class T>
  using KernelOp = std::conditional_t<std::is_integral_v<T>, MaximumOp, FmaxOp>;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::Floating<T>) {
      return math::select(b != b, a, math::max(a, b));
    } else {
      return a > b ? a : b;
    }
  }
};

struct FminOp {
  static constexpr std::string_view kName = "fmin";
  template <class T>
  using KernelOp = std::conditional_t<std::is_integral_v<T>, MinimumOp, FminOp>;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::Floating<T>) {
      return math::select(b != b, a, math::min(a, b));
    } else {
      return a < b ? a : b;
    }
  }
};

// Limits x to [min, max]; gives max if min > max.
struct ClipOp {
  static constexpr std::string_view kName = "clip";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T min, T max) const {
    return MinimumOp()(MaximumOp()(x, min), max);
  }
};

struct PositiveOp {
  static constexpr std::string_view kName = "positive";
  static constexpr bool kMovesBits = true;
  template <class S>
  static constexpr bool kCopies = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return x;
  }
};

struct NegativeOp {
  static constexpr std::string_view kName = "negative";
  static constexpr bool kIgnoresSign = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    if constexpr (math::Floating<T>) {
      return -x;  // not 0 - x, which loses the sign of zero
    } else {
      return internal::wrap(T(0), x, [](auto a, auto b) { return a - b; });
    }
  }
};

struct AbsoluteOp {
  static constexpr std::string_view kName = "absolute";
  template <class T>
  using KernelOp =
      std::conditional_t<std::is_unsigned_v<T>, PositiveOp, AbsoluteOp>;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::abs(x);
  }
};

// -1, 0 or 1; NaN stays NaN.
struct SignOp {
  static constexpr std::string_view kName = "sign";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    const T zero(0);
    if constexpr (math::Floating<T>) {
      const T positive = math::select(x > zero, T(1), x - x);
      return math::select(
          x < zero, T(-1),
          math::select(x == zero, zero, math::select(x > zero, positive, x)));
    } else {
      return static_cast<T>((x > zero) - (x < zero));
    }
  }
};

struct SquareOp {
  static constexpr std::string_view kName = "square";
  static constexpr bool kIgnoresSign = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return MultiplyOp()(x, x);
  }
};

// 1 / x, truncated for integers; 0 for integer 0.
struct ReciprocalOp {
  static constexpr std::string_view kName = "reciprocal";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    if constexpr (math::Floating<T>) {
      return T(1) / x;
    } else {
      constexpr bool kSigned = std::is_signed_v<T>;
      return x == T(1) || (kSigned && x == static_cast<T>(-1)) ? x : T(0);
    }
  }
};

struct ExpOp {
  static constexpr std::string_view kName = "exp";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::exp(x);
  }
};

struct LogOp {
  static constexpr std::string_view kName = "log";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::log(x);
  }
};

struct Log1pOp {
  static constexpr std::string_view kName = "log1p";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::log1p(x);
  }
};

struct SqrtOp {
  static constexpr std::string_view kName = "sqrt";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::sqrt(x);
  }
};

struct TanhOp {
  static constexpr std::string_view kName = "tanh";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::tanh(x);
  }
};

// 1 / (1 + exp(-x)): for large negative x exp overflows to infinity, which
// gives 0.
struct SigmoidOp {
  static constexpr std::string_view kName = "sigmoid";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return T(1) / (T(1) + math::exp(-x));
  }
};

// max(x, 0); NaN stays NaN.
struct ReluOp {
  static constexpr std::string_view kName = "relu";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return MaximumOp()(x, T(0));
  }
};

struct EqualOp {
  static constexpr std::string_view kName = "equal";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T a, T b) const {
    return a == b;
  }
};

struct NotEqualOp {
  static constexpr std::string_view kName = "not_equal";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T a, T b) const {
    return a != b;
  }
};

struct LessOp {
  static constexpr std::string_view kName = "less";
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T a, T b) const {
    return a < b;
  }
};

struct LessEqualOp {
  static constexpr std::string_view kName = "less_equal";
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T a, T b) const {
    return a <= b;
  }
};

struct GreaterOp {
  static constexpr std::string_view kName = "greater";
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T a, T b) const {
    return a > b;
  }
};

struct GreaterEqualOp {
  static constexpr std::string_view kName = "greater_equal";
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T a, T b) const {
    return a >= b;
  }
};

// Truth as in C++: nonzero is true, including NaN.
struct LogicalAndOp {
  static constexpr std::string_view kName = "logical_and";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T a, T b) const {
    return a != T(0) && b != T(0);
  }
};

struct LogicalOrOp {
  static constexpr std::string_view kName = "logical_or";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T a, T b) const {
    return a != T(0) || b != T(0);
  }
};

struct LogicalXorOp {
  static constexpr std::string_view kName = "logical_xor";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T a, T b) const {
    return (a != T(0)) != (b != T(0));
  }
};

struct LogicalNotOp {
  static constexpr std::string_view kName = "logical_not";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T x) const {
    return x == T(0);
  }
};

struct IsNanOp {
  static constexpr std::string_view kName = "isnan";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T x) const {
    return x != x;
  }
};

struct IsFiniteOp {
  static constexpr std::string_view kName = "isfinite";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T x) const {
    return x - x == T(0);
  }
};

// if_true where the condition holds, else if_false.
struct WhereOp {
  static constexpr std::string_view kName = "where";
  static constexpr bool kMovesBits = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(bool condition, T if_true, T if_false) const {
#ifdef __CUDA_ARCH__
    return condition ? if_true : if_false;
#else
    // With a mask: for a conditional the compiler branches around the loads and
    // does not vectorize.
    using Bits = BitsOf<T>;
    const auto mask =
        static_cast<Bits>(Bits{0} - std::bit_cast<uint8_t>(condition));
    return std::bit_cast<T>(
        static_cast<Bits>((std::bit_cast<Bits>(if_true) & mask) |
                          (std::bit_cast<Bits>(if_false) & ~mask)));
#endif
  }
};

}  // namespace catena::array
