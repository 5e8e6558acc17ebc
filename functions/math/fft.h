#pragma once

#include <array>

#include "catena/autograd/variable.h"

// Discrete Fourier transforms over the last axis. Numbers are pairs of real and
// imaginary parts, of one floating dtype and shape, and so are results:
//
//   const auto [real, imag] = fft(x_real, x_imag);
namespace catena::functions {

// y_k = sum_n x_n exp(-2 pi i n k / N), N being the extent of the last axis.
// InvalidType when dtypes or shapes differ, there is no axis or the last one is
// empty.
std::array<Variable, 2> fft(const Variable& real, const Variable& imag);

// The inverse: x_n = sum_k y_k exp(2 pi i n k / N) / N. The same errors.
std::array<Variable, 2> ifft(const Variable& real, const Variable& imag);

}  // namespace catena::functions
