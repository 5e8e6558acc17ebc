#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Linear equations, inverses and determinants, NumPy's numpy.linalg. The
// conventions, dtypes and errors are those of decomposition.h; operands are
// promoted to one dtype and must be on one device (DeviceError).
namespace catena::array::linalg {

// x with a x = b, for a (..., n, n) and b (..., n, columns), or (..., n) when b
// has one axis less than a; leading axes broadcast. LinAlgError when a matrix
// is singular.
Array solve(const Array& a, const Array& b);

// The inverses of a (..., n, n). LinAlgError when a matrix is singular.
Array inv(const Array& a);

// The Moore-Penrose inverses (..., n, m) of a (..., m, n); singular values of
// at most rcond times the largest count as 0. LinAlgError unless finite.
Array pinv(const Array& a, double rcond = 1e-15);

struct LstsqResult {
  Array x;
  Array residuals;  // sum of squares of b - a x for each column of b; without
                    // elements unless m > n and a has rank n
  int64_t rank;
  Array s;  // the singular values of a
};
// The x, of the smallest norm, that minimize |b - a x| for a (m, n) and b (m,
// columns) or (m,). Singular values of at most rcond times the largest count as
// 0; without it, the dtype's epsilon times the larger of m and n, as NumPy does
// for rcond=None. LinAlgError unless a is finite.
LstsqResult lstsq(const Array& a, const Array& b,
                  std::optional<double> rcond = std::nullopt);

// The determinants of a (..., n, n); 1 for n = 0.
Array det(const Array& a);
struct SlogdetResult {
  Array sign;    // -1, 0 or 1
  Array logdet;  // -inf where the sign is 0
};
// sign exp(logdet) is the determinant, which may be out of range.
SlogdetResult slogdet(const Array& a);

// a^n for square matrices; a negative n takes the inverse. Integers keep their
// dtype when n is not negative.
Array matrix_power(const Array& a, int64_t n);

// The inverse under tensordot(., ., ind): a's first `ind` axes, together as
// large as the others together, change places with them. ValueError unless ind
// is positive.
Array tensorinv(const Array& a, int64_t ind = 2);
// x with tensordot(a, x, x.ndim()) = b: a has the shape of b followed by that
// of x.
Array tensorsolve(const Array& a, const Array& b);

// The inverses, where a singular matrix gives NaN.
Array inv_or_nan(const Array& a);

}  // namespace catena::array::linalg
