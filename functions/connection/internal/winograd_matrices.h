#pragma once

// The transforms of Winograd's F(4x4, 3x3), a column of registers at a time.

#include "catena/array/cpu/lane_vector.h"
#include "catena/array/kernels/kernel_definition.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND::winograd {

// Baseline code for x86 may have no registers of several lanes.
#if HWY_TARGET != HWY_SCALAR

// B^T d for a column of 6 inputs.
template <class T>
HWY_INLINE void transform_inputs(const T (&x)[6], T (&v)[6]) {
  const hn::DFromV<T> d;
  const T two = hn::Set(d, 2.0f);
  const T four = hn::Set(d, 4.0f);
  const T five = hn::Set(d, 5.0f);
  const T even = hn::NegMulAdd(four, x[2], x[4]);
  const T odd = hn::NegMulAdd(four, x[1], x[3]);
  const T far_even = hn::Sub(x[4], x[2]);
  const T far_odd = hn::Sub(x[3], x[1]);
  v[0] = hn::MulAdd(four, x[0], hn::NegMulAdd(five, x[2], x[4]));
  v[1] = hn::Add(even, odd);
  v[2] = hn::Sub(even, odd);
  v[3] = hn::MulAdd(two, far_odd, far_even);
  v[4] = hn::NegMulAdd(two, far_odd, far_even);
  v[5] = hn::MulAdd(four, x[1], hn::NegMulAdd(five, x[3], x[5]));
}

// A^T m for a column of 6 products.
template <class T>
HWY_INLINE void transform_outputs(const T (&m)[6], T (&y)[4]) {
  const hn::DFromV<T> d;
  const T sum = hn::Add(m[1], m[2]);
  const T difference = hn::Sub(m[1], m[2]);
  const T far_sum = hn::Add(m[3], m[4]);
  const T far_difference = hn::Sub(m[3], m[4]);
  y[0] = hn::Add(m[0], hn::Add(sum, far_sum));
  y[1] = hn::MulAdd(hn::Set(d, 2.0f), far_difference, difference);
  y[2] = hn::MulAdd(hn::Set(d, 4.0f), far_sum, sum);
  y[3] =
      hn::Add(hn::MulAdd(hn::Set(d, 8.0f), far_difference, difference), m[5]);
}

// A y for a column of 4 gradients of outputs.
template <class T>
HWY_INLINE void transform_gradients(const T (&y)[4], T (&v)[6]) {
  const hn::DFromV<T> d;
  const T four = hn::Set(d, 4.0f);
  const T two = hn::Set(d, 2.0f);
  const T even = hn::Add(y[0], y[2]);
  const T odd = hn::Add(y[1], y[3]);
  const T far_even = hn::MulAdd(four, y[2], y[0]);
  const T far_odd = hn::MulAdd(four, y[3], y[1]);
  v[0] = y[0];
  v[1] = hn::Add(even, odd);
  v[2] = hn::Sub(even, odd);
  v[3] = hn::MulAdd(two, far_odd, far_even);
  v[4] = hn::NegMulAdd(two, far_odd, far_even);
  v[5] = y[3];
}

// G w for a column of 3 weights.
template <class T>
HWY_INLINE void transform_weights(const T (&w)[3], T (&u)[6]) {
  const hn::DFromV<T> d;
  const T sum = hn::Mul(hn::Add(w[0], w[2]), hn::Set(d, -1.0f / 6));
  const T middle = hn::Mul(w[1], hn::Set(d, -1.0f / 6));
  const T far_sum = hn::MulAdd(w[0], hn::Set(d, 1.0f / 24),
                               hn::Mul(w[2], hn::Set(d, 1.0f / 6)));
  const T far_middle = hn::Mul(w[1], hn::Set(d, 1.0f / 12));
  u[0] = hn::Mul(w[0], hn::Set(d, 0.25f));
  u[1] = hn::Add(sum, middle);
  u[2] = hn::Sub(sum, middle);
  u[3] = hn::Add(far_sum, far_middle);
  u[4] = hn::Sub(far_sum, far_middle);
  u[5] = w[2];
}

// G^T u for a column of 6 sums of products: the gradients of 3 weights.
template <class T>
HWY_INLINE void transform_sums(const T (&u)[6], T (&w)[3]) {
  const hn::DFromV<T> d;
  const T sixth = hn::Set(d, 1.0f / 6);
  const T sum = hn::Mul(hn::Add(u[1], u[2]), sixth);
  const T far_sum = hn::Add(u[3], u[4]);
  w[0] = hn::MulAdd(far_sum, hn::Set(d, 1.0f / 24),
                    hn::NegMulAdd(hn::Add(u[1], u[2]), sixth,
                                  hn::Mul(u[0], hn::Set(d, 0.25f))));
  w[1] = hn::MulAdd(hn::Sub(u[3], u[4]), hn::Set(d, 1.0f / 12),
                    hn::Mul(hn::Sub(u[2], u[1]), sixth));
  w[2] = hn::Add(hn::MulSub(far_sum, sixth, sum), u[5]);
}

#endif

}  // namespace catena::kernels::CATENA_BACKEND::winograd
