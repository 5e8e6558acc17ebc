#pragma once

#include <cstdint>

#include "catena/array/array.h"

// Discrete Fourier transforms, on the CPU and, by cuFFT, on CUDA, whose kernels
// are in //cuda:fft and not in //cuda. There are no complex dtypes: numbers are
// a pair of arrays of one shape, dtype and device, and so are results, in C
// order.
//
// Any length is transformed in O(n log n) steps: products of 2, 3, 5, 7, 11 and
// 13 by mixed radices (Stockham), others by a convolution of such a length
// (Bluestein, 1970). The relative error, in the Euclidean norm, is a few units
// in the last place for the first and some tens for the others. 16-bit floats
// are computed in float32.
namespace catena::array::fft {

struct ComplexArrays {
  Array real;
  Array imag;
};

// y_k = sum_n x_n exp(-2 pi i n k / N) over the last axis, of extent N, for
// each position along the others. DtypeError unless floating, ShapeError unless
// both have the same shape with one axis or more, the last one not empty;
// DeviceError.
ComplexArrays fft(const Array& real, const Array& imag);

// The inverse: x_n = sum_k y_k exp(2 pi i n k / N) / N. The same errors.
ComplexArrays ifft(const Array& real, const Array& imag);

}  // namespace catena::array::fft
