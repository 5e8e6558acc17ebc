#pragma once

// Double-double arithmetic, where 53 bits are too few. Requires fused
// multiply-add (HWY_NATIVE_FMA).

#include "catena/array/cpu/lane_math.h"
#include "catena/array/cpu/lane_vector.h"

namespace catena::kernels::CATENA_BACKEND {

// The value high + low, where low is the rounding error of high.
struct LanePair {
  Lanes<double> high;
  Lanes<double> low;
};

// a * b, rounded: the compiler could fuse a plain product with a following sum.
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

// Requires |a| >= |b| or a = 0.
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
// = s^2. The term of g is small enough for a single double.
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
