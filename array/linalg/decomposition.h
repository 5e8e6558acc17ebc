#pragma once

#include <cstdint>

#include "catena/array/array.h"

// Matrix decompositions as in numpy.linalg, by LAPACK on the CPU and cuSOLVER
// on CUDA. The last two axes, of extents m and n, are matrices; the leading
// axes are batch axes, which the results keep. k is min(m, n). float32 stays
// float32; float64, integers and bool give float64. Results are new arrays in C
// order.
//
// All throw ShapeError for fewer than two axes, DtypeError for the 16-bit
// floats, and LinAlgError (linalg_error.h), naming the matrix, when there is no
// result.
namespace catena::array::linalg {

// The lower triangular (n, n) L with a = L L^T for symmetric positive definite
// matrices; only their lower triangle is read. Throws ShapeError unless square,
// LinAlgError unless positive definite.
Array cholesky(const Array& a);

// Which parts qr computes.
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
  NamedFieldsOnly keywords = {};
  bool full_matrices = true;  // u (m, m), vh (n, n); else (m, k) and (k, n)
  bool compute_uv = true;     // else u and vh are undefined
};
// What svd computes.
struct SvdResult {
  Array u;
  Array s;
  Array vh;
};
// a = u diag(s) vh: u and vh orthogonal, the singular values s (k,) descending.
// Throws LinAlgError for elements that are not finite.
SvdResult svd(const Array& a, const SvdOptions& options = {});
// s alone.
Array svdvals(const Array& a);

// Which triangle of a symmetric matrix is read.
enum class Triangle : uint8_t { kLower, kUpper };
struct EighResult {
  Array w;
  Array v;
};
// a v = v diag(w) for symmetric (n, n) matrices: eigenvalues w (n,), ascending,
// and orthogonal eigenvectors as the columns of v. Throws ShapeError unless
// square, LinAlgError for elements that are not finite.
EighResult eigh(const Array& a, Triangle UPLO = Triangle::kLower);
// w alone.
Array eigvalsh(const Array& a, Triangle UPLO = Triangle::kLower);

}  // namespace catena::array::linalg
