#pragma once

// Doubles in two parts, for what 53 bits are too few. Products have to be
// rounded once with the sum they are part of (HWY_NATIVE_FMA).

#include "catena/array/cpu/lane_math.h"
#include "catena/array/cpu/lane_vector.h"

namespace catena::kernels::CATENA_BACKEND {

// high + low, where low is what high leaves out.
struct LanePair {
  Lanes<double> high;
  Lanes<double> low;
};

// Compilers would merge a * b with a sum, which then has what was rounded off.
HWY_INLINE Lanes<double> lanes_rounded_product(Lanes<double> a,
                                               Lanes<double> b) {
  return lanes_multiply_add(a, b, Lanes<double>(0));
}

HWY_INLINE LanePair lanes_pair_product(LanePair a, LanePair b) {
  const Lanes<double> high = lanes_rounded_product(a.high, b.high);
  Lanes<double> low = lanes_multiply_add(a.high, b.high, -high);
  low = lanes_multiply_add(a.high, b.low, low);
  return {high, lanes_multiply_add(a.low, b.high, low)};
}

// Where |a| is no less than |b|, or 0.
HWY_INLINE LanePair lanes_pair_sum(LanePair a, LanePair b) {
  const Lanes<double> high = a.high + b.high;
  return {high, ((a.high - high) + b.high) + (a.low + b.low)};
}

// f / (f + 2) for |f| below 1/2.
HWY_INLINE LanePair lanes_pair_log_root(Lanes<double> f) {
  using D = Lanes<double>;
  const D divisor = f + D(2);
  const D inverse = D(1) / divisor;
  const D s = lanes_rounded_product(f, inverse);
  D rest = lanes_multiply_add(-s, divisor, f);
  rest = lanes_multiply_add(-s, f - (divisor - D(2)), rest);
  return {s, rest * inverse};
}

// log2(1 + f) as 2 s / ln(2) + s^3 (2 / (3 ln(2)) + z g(z)), s = f / (f + 2), z
// = s^2. What g adds is small enough for one part.
HWY_INLINE LanePair lanes_pair_log2(Lanes<double> f) {
  using D = Lanes<double>;
  const D zero(0);
  const LanePair s = lanes_pair_log_root(f);
  const LanePair z = lanes_pair_product(s, s);
  const D tail =
      z.high * lanes_polynomial(z.high, LaneMathTraits<double>::kPower);
  const LanePair two{D(0x1.71547652b82fep+1), D(0x1.777d0ffda0d24p-55)};
  const LanePair third{D(0x1.ec709dc3a03fdp-1), D(0x1.d27f05548af0cp-55)};
  const LanePair cube = lanes_pair_product(s, z);
  return lanes_pair_sum(
      lanes_pair_product(two, s),
      lanes_pair_product(cube, lanes_pair_sum(third, {tail, zero})));
}

}  // namespace catena::kernels::CATENA_BACKEND
