#pragma once

#include <cstdint>

#include "catena/array/array.h"

// Discrete Fourier transforms, on the CPU and, by cuFFT, on CUDA; the CUDA
// kernels are in //cuda:fft, not in //cuda. There are no complex dtypes:
// complex inputs are a pair of arrays of the same shape, dtype and device, and
// so are results, in C order.
//
// Any length takes O(n log n) steps: products of 2, 3, 5, 7, 11 and 13 use
// mixed radices (Stockham), others a convolution of such a length (Bluestein,
// 1970). The relative error in the Euclidean norm is a few ULP for the former
// and some tens of ULP for the latter. 16-bit floats are computed in float32.
namespace catena::array::fft {

// The real and the imaginary parts, with equal shapes and dtypes.
struct ComplexArrays {
  Array real;
  Array imag;
};

// y_k = sum_n x_n exp(-2 pi i n k / N) over the last axis, of extent N, for
// each index of the others. Throws DtypeError unless floating, ShapeError
// unless both have the same shape with at least one axis and a nonempty last
// axis; DeviceError.
ComplexArrays fft(const Array& real, const Array& imag);

// The inverse: x_n = sum_k y_k exp(2 pi i n k / N) / N. Throws as fft does.
ComplexArrays ifft(const Array& real, const Array& imag);

}  // namespace catena::array::fft
