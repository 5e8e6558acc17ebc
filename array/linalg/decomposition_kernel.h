#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"

// The interface between decompositions and their kernels (LAPACK, cuSOLVER).
// `batch` contiguous matrices (at least 1), each in column-major order (element
// (i, j) of m rows is item j * m + i). No extent is 0. float32 and float64
// only.
namespace catena::array {

struct StackArgs {
  Device device;
  Dtype dtype;
  int64_t batch;
  // One per matrix: 0 on success, else LAPACK's positive `info`.
  int32_t* status;
};

// P A = L U in place of A (n, n). `pivots` holds n 1-based row indices per
// matrix: the row with which each row was exchanged. Status i: U_ii is 0.
struct LuArgs : StackArgs {
  static constexpr std::string_view kName = "lu";
  int64_t n;
  char* a;
  int64_t* pivots;
};

// X with A X = B, or A^T X = B, in place of B (n, columns), from the result of
// LuArgs.
struct LuSolveArgs : StackArgs {
  static constexpr std::string_view kName = "lu_solve";
  int64_t n;
  int64_t columns;
  const char* lu;
  const int64_t* pivots;
  char* b;
  bool transposed;
};

// U with A = U^T U in place of the upper triangle of A (n, n); the lower one is
// undefined afterwards, since cuSOLVER works there. Status i: the leading minor
// of order i is not positive.
struct CholeskyArgs : StackArgs {
  static constexpr std::string_view kName = "cholesky";
  int64_t n;
  char* a;
};

// R in place of the upper triangle of A (m, n); below it and in `tau` (min(m,
// n) elements per matrix) the Householder reflectors whose product is Q.
struct QrArgs : StackArgs {
  static constexpr std::string_view kName = "qr";
  int64_t m;
  int64_t n;
  char* a;
  char* tau;
};

// The first `columns` columns of Q (m, m) in place of A (m, columns), whose
// first `reflections` <= columns <= m columns are from QrArgs.
struct FormQArgs : StackArgs {
  static constexpr std::string_view kName = "qr (forming q)";
  int64_t m;
  int64_t columns;
  int64_t reflections;
  char* a;
  const char* tau;
};

// Eigenvalues, ascending, of the symmetric A (n, n); reads only one triangle of
// it. With `has_vectors` the eigenvectors replace its columns, else A is
// destroyed. Nonzero status: no convergence.
struct EighArgs : StackArgs {
  static constexpr std::string_view kName = "eigh";
  int64_t n;
  bool reads_upper;
  bool has_vectors;
  char* a;
  char* values;
};

// A = U S V^T for A (m, n) with m >= n, which is destroyed: n singular values,
// descending, U (m, u_columns) and V^T (n, n). u_columns is n or m, or 0 to
// compute neither. Nonzero status: no convergence.
struct SvdArgs : StackArgs {
  static constexpr std::string_view kName = "svd";
  int64_t m;
  int64_t n;
  int64_t u_columns;
  char* a;
  char* values;
  char* u;
  char* vt;
};

// The operation whose arguments are Args.
template <class Args>
struct Decomposition {
  static constexpr std::string_view kName = Args::kName;
  static constexpr bool kCompiledOnce = true;
  using Kernel = void(const Args& args);
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = TypeList<float, double>;
};

}  // namespace catena::array
