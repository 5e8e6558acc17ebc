#pragma once

#include "catena/array/kernels/math.h"

// Functions for functors of losses on logits.
namespace catena::functions {

// log(1 + exp(x)) without overflow.
template <class T>
CATENA_HOST_DEVICE T log_one_plus_exp(T x) {
  const T positive = math::select(x > T(0), x, T(0));
  return positive + math::log1p(math::exp(-math::abs(x)));
}

// 1 / (1 + exp(-x)), whose derivatives of any order are finite for every x: no
// exponential overflows, and at 0 both branches have the same slope.
template <class T>
CATENA_HOST_DEVICE T logistic(T x) {
  const T e = math::exp(math::select(x > T(0), -x, x));
  return math::select(x > T(0), T(1), e) / (T(1) + e);
}

}  // namespace catena::functions
