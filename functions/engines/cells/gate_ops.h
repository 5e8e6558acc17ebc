#pragma once

#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"

// Shared by cell functors (cell_args.h).
namespace catena::functions {

template <class T>
CATENA_HOST_DEVICE T gate_sigmoid(T x) {
  if constexpr (requires { recorded_sigmoid(x); }) {
    return recorded_sigmoid(x);
  } else {
    return array::SigmoidOp()(x);
  }
}

// gx from y and gy, for y = sigmoid(x) and y = tanh(x).
template <class T>
CATENA_HOST_DEVICE T sigmoid_gradient(T y, T gy) {
  return gy * y * (T(1) - y);
}
template <class T>
CATENA_HOST_DEVICE T tanh_gradient(T y, T gy) {
  return gy * (T(1) - y * y);
}

}  // namespace catena::functions
