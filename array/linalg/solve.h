#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Linear equations, inverses and determinants as in numpy.linalg, with the
// conventions, dtypes and errors of decomposition.h. Operands are promoted to
// one dtype and must be on one device, else DeviceError.
namespace catena::array::linalg {

// Solves a x = b for a (..., n, n) and b (..., n, columns), or (..., n) if b
// has one axis less than a; leading axes broadcast. Throws LinAlgError when a
// matrix is singular.
Array solve(const Array& a, const Array& b);

// The inverses of a (..., n, n). Throws LinAlgError when a matrix is singular.
Array inv(const Array& a);

// The Moore-Penrose inverses (..., n, m) of a (..., m, n); singular values up
// to rcond times the largest count as 0. Throws LinAlgError unless a is finite.
Array pinv(const Array& a, double rcond = 1e-15);

// What lstsq computes.
struct LstsqResult {
  Array x;
  Array residuals;  // sum of squares of b - a x for each column of b; empty
                    // unless m > n and a has rank n
  int64_t rank;
  Array s;  // the singular values of a
};
// The x of minimum norm that minimizes |b - a x|, for a (m, n) and b (m,
// columns) or (m,). Singular values up to rcond times the largest count as 0;
// rcond defaults to the dtype's epsilon times max(m, n), as for NumPy's
// rcond=None. Throws LinAlgError unless a is finite.
LstsqResult lstsq(const Array& a, const Array& b,
                  std::optional<double> rcond = std::nullopt);

// The determinants of a (..., n, n); 1 for n = 0.
Array det(const Array& a);
struct SlogdetResult {
  Array sign;    // -1, 0 or 1
  Array logdet;  // -inf where the sign is 0
};
// The determinant is sign exp(logdet), which may itself overflow.
SlogdetResult slogdet(const Array& a);

// a^n for square matrices; a negative n uses the inverse. Integers keep their
// dtype for n >= 0.
Array matrix_power(const Array& a, int64_t n);

// The inverse with respect to tensordot(., ., ind). The first `ind` axes of a
// must have the same total size as the rest; the result has the rest first.
// Throws ValueError unless ind is positive.
Array tensorinv(const Array& a, int64_t ind = 2);
// Solves tensordot(a, x, x.ndim()) = b; a's shape is b's followed by x's.
Array tensorsolve(const Array& a, const Array& b);

// The inverses; NaN for a singular matrix.
Array inv_or_nan(const Array& a);

}  // namespace catena::array::linalg
