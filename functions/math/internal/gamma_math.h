#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "catena/array/kernels/math.h"

// The gamma function and related functions for scalars. All but log_gamma
// compute in double for any T, since their sums lose digits.
namespace catena::functions {

// log|gamma(x)|, infinite at 0 and at negative integers.
template <class T>
CATENA_HOST_DEVICE T log_gamma(T x) {
#ifdef __CUDA_ARCH__
  return ::lgamma(x);
#else
  int sign;  // lgamma writes it to a global variable
  if constexpr (std::is_same_v<T, float>) {
    return ::lgammaf_r(x, &sign);
  } else {
    return ::lgamma_r(x, &sign);
  }
#endif
}

namespace internal {

#ifdef __CUDA_ARCH__
// Not inlined, to be compiled once rather than in every kernel.
__noinline__ CATENA_HOST_DEVICE double digamma(double x);
__noinline__ CATENA_HOST_DEVICE double hurwitz_zeta(double s, double q);
__noinline__ CATENA_HOST_DEVICE double polygamma(double n, double x);
#endif

// Uses the recurrence up to 10, then the asymptotic series; reflection below 0.
// Accurate to 1e-15 max(|result|, 1).
CATENA_HOST_DEVICE double digamma(double x) {
  if (x == 0) return std::copysign(HUGE_VAL, -x);
  double result = 0;
  if (x < 0) {
    const double part = x - std::rint(x);
    if (part == 0) return std::numeric_limits<double>::quiet_NaN();
    constexpr double kPi = 3.14159265358979323846;
    result = -kPi / std::tan(kPi * part);
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  // B_2k / 2k.
  constexpr double kC[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                           1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const double u = 1 / (x * x);
  double series = 0;
  for (int k = 6; k >= 0; --k) series = (series + kC[k]) * u;
  return result + std::log(x) - 0.5 / x - series;
}

// The sum of (q + k)^-s over k = 0, 1, ...: terms up to q + k = 12, and the
// rest by the Euler-Maclaurin formula. Relative error 1e-14.
CATENA_HOST_DEVICE double hurwitz_zeta(double s, double q) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kFarLeft = -1e6;
  if (!(s >= 1) || q != q) return kNan;
  if (s == 1) return HUGE_VAL;
  if (q == HUGE_VAL) return 0;
  if (q <= 0) {
    if (q == std::floor(q)) return HUGE_VAL;  // a term is infinite
    // The power is not real, or there are too many terms.
    if (s != std::floor(s) || q < kFarLeft) return kNan;
  }
  double sum = 0;
  for (int k = 0; k < 9 || q < 12; ++k) {
    sum += std::pow(q, -s);
    q += 1;
  }
  const double power = std::pow(q, -s);
  sum += power * (q / (s - 1) + 0.5);
  // B_2k / (2k)!.
  constexpr double kC[] = {1.0 / 12,
                           -1.0 / 720,
                           1.0 / 30240,
                           -1.0 / 1209600,
                           1.0 / 47900160,
                           -691.0 / 1307674368000,
                           1.0 / 74724249600,
                           -3617.0 / 10670622842880000,
                           43867.0 / 5109094217170944000};
  double factor = s * power / q;
  for (int k = 0; k < 9; ++k) {
    const double term = kC[k] * factor;
    sum += term;
    if (std::fabs(term) < 1e-17 * std::fabs(sum)) break;
    const double even = s + 2 * k;
    factor *= (even + 1) * (even + 2) / (q * q);
  }
  return sum;
}

// The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x).
CATENA_HOST_DEVICE double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (!(n > 0) || n != std::floor(n)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double size = std::tgamma(n + 1) * hurwitz_zeta(n + 1, x);
  return std::fmod(n, 2) == 0 ? -size : size;
}

}  // namespace internal

// The functions for functors; overloaded for variables, for recorded gradients.

template <class T>
CATENA_HOST_DEVICE T digamma_of(T x) {
  if constexpr (requires { lanes_digamma(x); }) {
    return lanes_digamma(x);
  } else {
    return static_cast<T>(internal::digamma(x));
  }
}

template <class T>
CATENA_HOST_DEVICE T polygamma_of(T n, T x) {
  if constexpr (requires { lanes_polygamma(n, x); }) {
    return lanes_polygamma(n, x);
  } else {
    return static_cast<T>(internal::polygamma(n, x));
  }
}

template <class T>
CATENA_HOST_DEVICE T zeta_of(T x, T q) {
  if constexpr (requires { lanes_zeta(x, q); }) {
    return lanes_zeta(x, q);
  } else {
    return static_cast<T>(internal::hurwitz_zeta(x, q));
  }
}

// x disconnected from its graph, for inputs that get no gradient of any order.
template <class T>
CATENA_HOST_DEVICE T constant_of(T x) {
  if constexpr (requires { lanes_constant(x); }) {
    return lanes_constant(x);
  } else {
    return x;
  }
}

}  // namespace catena::functions
