#include "catena/array/user_kernel/functor_kernels.cuh"
#include "catena/array/user_kernel/functor_kernels_samples.h"

namespace catena::cuda {

Array sample_fma(const Operand& x, const Operand& y, float bias) {
  return elementwise<float(float, float)>(
      [bias] __device__(float a, float b) { return a * b + bias; }, x, y);
}

Array sample_is_above(const Array& x, const Array& limit) {
  return elementwise<bool(double, int64_t)>(
      [] __device__(double a, int64_t b) { return a > b; }, x, limit);
}

Array sample_half(const Array& x) {
  return elementwise<float16(float16)>(
      [] __device__(float16 a) { return a / 2; }, x);
}

}  // namespace catena::cuda
