#pragma once

#include <array>

#include "catena/autograd/variable.h"

// Discrete Fourier transforms over the last axis. Complex arrays are pairs of
// real and imaginary parts of the same floating dtype and shape, as inputs and
// results:
//
//   const auto [real, imag] = fft(x_real, x_imag);
namespace catena::functions {

// The discrete Fourier transform over the last axis, y_k = sum_n x_n exp(-2 pi
// i n k / N), where N is its extent. Throws InvalidType when dtypes or shapes
// differ, there is no axis or the last one is empty.
std::array<Variable, 2> fft(const Variable& real, const Variable& imag);

// The inverse discrete Fourier transform over the last axis: x_n = sum_k y_k
// exp(2 pi i n k / N) / N. Throws like fft.
std::array<Variable, 2> ifft(const Variable& real, const Variable& imag);

}  // namespace catena::functions
