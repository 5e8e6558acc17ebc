#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "catena/array/core/float16.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"

// Functors of the ufunc table whose results are floats: exponentials,
// trigonometry, rounding and decomposition.
namespace catena::array {

struct Exp2Op {
  static constexpr std::string_view kName = "exp2";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::exp2(x);
  }
};

struct Expm1Op {
  static constexpr std::string_view kName = "expm1";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::expm1(x);
  }
};

struct Log2Op {
  static constexpr std::string_view kName = "log2";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::log2(x);
  }
};

struct Log10Op {
  static constexpr std::string_view kName = "log10";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::log10(x);
  }
};

// log(exp(a) + exp(b)) without overflow.
struct LogAddExpOp {
  static constexpr std::string_view kName = "logaddexp";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    const T max = MaximumOp()(a, b);
    const T y = max + math::log1p(math::exp(-math::abs(a - b)));
    // The difference of equal infinities is NaN.
    return math::select(a == b, a + T(0.6931471805599453), y);
  }
};

// log2(2^a + 2^b) without overflow.
struct LogAddExp2Op {
  static constexpr std::string_view kName = "logaddexp2";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    const T max = MaximumOp()(a, b);
    const T rest = math::log1p(math::exp2(-math::abs(a - b)));
    return math::select(a == b, a + T(1), max + rest * T(1.4426950408889634));
  }
};

struct CbrtOp {
  static constexpr std::string_view kName = "cbrt";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::cbrt(x);
  }
};

struct SinOp {
  static constexpr std::string_view kName = "sin";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::sin(x);
  }
};

struct CosOp {
  static constexpr std::string_view kName = "cos";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::cos(x);
  }
};

struct TanOp {
  static constexpr std::string_view kName = "tan";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::tan(x);
  }
};

struct ArcsinOp {
  static constexpr std::string_view kName = "arcsin";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::asin(x);
  }
};

struct ArccosOp {
  static constexpr std::string_view kName = "arccos";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::acos(x);
  }
};

struct ArctanOp {
  static constexpr std::string_view kName = "arctan";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::atan(x);
  }
};

struct SinhOp {
  static constexpr std::string_view kName = "sinh";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::sinh(x);
  }
};

struct CoshOp {
  static constexpr std::string_view kName = "cosh";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::cosh(x);
  }
};

struct ArcsinhOp {
  static constexpr std::string_view kName = "arcsinh";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::asinh(x);
  }
};

struct ArccoshOp {
  static constexpr std::string_view kName = "arccosh";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::acosh(x);
  }
};

struct ArctanhOp {
  static constexpr std::string_view kName = "arctanh";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return std::atanh(x);
  }
};

// The angle of the point (x, y).
struct Arctan2Op {
  static constexpr std::string_view kName = "arctan2";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
};

// sqrt(a^2 + b^2) without overflow.
struct HypotOp {
  static constexpr std::string_view kName = "hypot";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    return std::hypot(a, b);
  }
};

struct Deg2radOp {
  static constexpr std::string_view kName = "deg2rad";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return x * T(3.14159265358979323846 / 180);
  }
};

struct Rad2degOp {
  static constexpr std::string_view kName = "rad2deg";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return x * T(180 / 3.14159265358979323846);
  }
};

struct FloorOp {
  static constexpr std::string_view kName = "floor";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::floor(x);
  }
};

struct CeilOp {
  static constexpr std::string_view kName = "ceil";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::ceil(x);
  }
};

struct TruncOp {
  static constexpr std::string_view kName = "trunc";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::trunc(x);
  }
};

struct RintOp {
  static constexpr std::string_view kName = "rint";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::rint(x);
  }
};

// Neither finite nor NaN.
struct IsInfOp {
  static constexpr std::string_view kName = "isinf";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE bool operator()(T x) const {
    return x - x != T(0) && x == x;
  }
};

// Also for -0 and NaN.
struct SignbitOp {
  static constexpr std::string_view kName = "signbit";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE bool operator()(T x) const {
    using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    return std::bit_cast<Bits>(x) < 0;
  }
};

struct CopysignOp {
  static constexpr std::string_view kName = "copysign";
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    return math::copysign(a, b);
  }
};

// x 2^n.
struct LdexpOp {
  static constexpr std::string_view kName = "ldexp";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T x, int64_t n) const {
    // Beyond this every T overflows or underflows.
    constexpr int64_t kFar = 5000;
    const int64_t held = n < -kFar ? -kFar : n > kFar ? kFar : n;
    return std::ldexp(x, static_cast<int>(held));
  }
};

// x = mantissa 2^exponent with a mantissa in [1/2, 1); a non-finite value is
// its own mantissa, with exponent 0.
struct FrexpOp {
  static constexpr std::string_view kName = "frexp";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE void operator()(T x, T& mantissa,
                                     int32_t& exponent) const {
    int n = 0;
    mantissa = x - x == T(0) ? std::frexp(x, &n) : x;
    exponent = n;
  }
};

// The fractional and integral parts, both with x's sign.
struct ModfOp {
  static constexpr std::string_view kName = "modf";
  template <math::Floating T>
  CATENA_HOST_DEVICE void operator()(T x, T& fraction, T& whole) const {
    whole = math::trunc(x);
    // An infinity has no fraction.
    fraction = math::copysign(math::select(x == whole, T(0), x - whole), x);
  }
};

// The bits of a 16-bit float, for functors that must not see it as a float.
template <class S>
struct FloatBits {
  uint16_t bits;
};

// The next float after a towards b.
struct NextafterOp {
  static constexpr std::string_view kName = "nextafter";
  static constexpr bool kScalarOnly = true;
  template <math::Floating T>
  CATENA_HOST_DEVICE T operator()(T a, T b) const {
    return std::nextafter(a, b);
  }
  template <class S>
  CATENA_HOST_DEVICE FloatBits<S> operator()(FloatBits<S> a,
                                             FloatBits<S> b) const {
    const float from = value_of(a);
    const float to = value_of(b);
    if (from != from) return a;
    if (to != to || from == to) return b;
    constexpr uint16_t kSign = 0x8000;
    if (from == 0) {  // the smallest subnormal
      return {static_cast<uint16_t>((b.bits & kSign) | 1)};
    }
    // The bits increase with the magnitude.
    const bool grows = (from < to) == (from > 0);
    return {static_cast<uint16_t>(grows ? a.bits + 1 : a.bits - 1)};
  }

 private:
  template <class S>
  static CATENA_HOST_DEVICE float value_of(FloatBits<S> x) {
    S value;
    value.bits = x.bits;
    return value;
  }
};

}  // namespace catena::array
