#pragma once

#include "catena/array/kernels/math.h"

namespace catena::functions {

// exp(x - shift) for a row: x must not exceed the shift by more than 40. On the
// CPU, T is lanes, and floats have a faster version in row_loop.h.
template <class T>
struct ShiftedExp {
  T shift;

  CATENA_HOST_DEVICE explicit ShiftedExp(T shift) : shift(shift) {}
  CATENA_HOST_DEVICE T operator()(T x) const { return math::exp(x - shift); }
  // operator() times a power of 2, which unscaled() removes: from a sum, of
  // rows that any memory can hold, as well as from each term.
  CATENA_HOST_DEVICE T scaled(T x) const { return (*this)(x); }
  static CATENA_HOST_DEVICE T unscaled(T sum) { return sum; }
  // A number close to 0: operator() computes exp(x - shift + offset()), with
  // the same offset for all x.
  CATENA_HOST_DEVICE T offset() const { return T(0); }
};

// The maximum of a row's elements, and the sum of ShiftedExp(maximum).scaled.
template <class Value>
struct RowExpSum {
  Value max;
  Value sum;
};

// That of a row of one input. CUDA rows that are too long for registers are
// read once.
template <class Row>
CATENA_HOST_DEVICE auto exp_sum(const Row& row) {
  if constexpr (requires { row.exp_sum(); }) {
    return row.exp_sum();
  } else {
    const auto max = row.max([](auto x) { return x; });
    const ShiftedExp exp(max);
    return RowExpSum<typename Row::Value>{
        max, row.sum([&](auto x) { return exp.scaled(x); })};
  }
}

}  // namespace catena::functions
