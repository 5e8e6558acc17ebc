#pragma once

#include <cstdint>

#include "catena/array/array.h"

// Decompositions of matrices, NumPy's numpy.linalg: by LAPACK on the CPU, by
// cuSOLVER on CUDA. The matrices are the last two axes of an array, whose other
// axes are a stack that the results have too; m and n are their extents and k
// is min(m, n). float32 stays float32; float64, integers and bool give float64.
// Results are arrays of their own, in C order.
//
// All throw ShapeError for fewer than two axes, DtypeError for the 16-bit
// floats, LinAlgError (linalg_error.h) where there is no result, naming the
// matrix.
namespace catena::array::linalg {

// The lower triangular L with a = L L^T, (n, n), of symmetric positive definite
// matrices, whose lower triangle alone is read. ShapeError unless square;
// LinAlgError unless positive definite.
Array cholesky(const Array& a);

enum class QrMode : uint8_t {
  kReduced,   // q (m, k), r (k, n)
  kComplete,  // q (m, m), r (m, n)
  kR,         // r (k, n) alone; q is undefined
};
struct QrResult {
  Array q;
  Array r;
};
// a = q r with q^T q = 1 and r upper triangular.
QrResult qr(const Array& a, QrMode mode = QrMode::kReduced);

struct SvdOptions {
  bool full_matrices = true;  // u (m, m), vh (n, n); else (m, k) and (k, n)
  bool compute_uv = true;     // else u and vh are undefined
};
struct SvdResult {
  Array u;
  Array s;
  Array vh;
};
// a = u diag(s) vh: u and vh orthogonal, the singular values s (k,) descending.
// LinAlgError for elements that are not finite.
SvdResult svd(const Array& a, const SvdOptions& options = {});
// s alone.
Array svdvals(const Array& a);

// The triangle that is read of a symmetric matrix.
enum class Triangle : uint8_t { kLower, kUpper };
struct EighResult {
  Array w;
  Array v;
};
// a v = v diag(w) of symmetric matrices (n, n): the eigenvalues w (n,)
// ascending, the eigenvectors the columns of v, orthogonal. ShapeError unless
// square; LinAlgError for elements that are not finite.
EighResult eigh(const Array& a, Triangle UPLO = Triangle::kLower);
// w alone.
Array eigvalsh(const Array& a, Triangle UPLO = Triangle::kLower);

}  // namespace catena::array::linalg
