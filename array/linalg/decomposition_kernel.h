#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernel_slot.h"

// The contract between decompositions and their kernels: LAPACK and cuSOLVER.
// Matrices come in stacks: `batch` of them (at least 1) one after another, each
// in columns (element (i, j) of m rows is item j * m + i), nothing in between.
// No extent is 0. Offered for float32 and float64.
namespace catena::array {

struct StackArgs {
  Device device;
  Dtype dtype;
  int64_t batch;
  // For each matrix 0 when all went well, else LAPACK's positive `info`.
  int32_t* status;
};

// P A = L U in place of A (n, n). `pivots` holds n numbers from 1 for each
// matrix: the row that each row was exchanged with. Status i: U_ii is 0.
struct LuArgs : StackArgs {
  static constexpr std::string_view kName = "lu";
  int64_t n;
  char* a;
  int64_t* pivots;
};

// X with A X = B, or A^T X = B, in place of B (n, columns), from the above.
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
// left as it is. Status i: the leading minor of order i is not positive.
struct CholeskyArgs : StackArgs {
  static constexpr std::string_view kName = "cholesky";
  int64_t n;
  char* a;
};

// R in place of the upper triangle of A (m, n); below it and in `tau`, min(m,
// n) numbers for each matrix, the reflections whose product is Q.
struct QrArgs : StackArgs {
  static constexpr std::string_view kName = "qr";
  int64_t m;
  int64_t n;
  char* a;
  char* tau;
};

// The first `columns` columns of Q (m, m) in place of A (m, columns), which
// begins with `reflections` <= columns <= m columns that QrArgs left.
struct FormQArgs : StackArgs {
  static constexpr std::string_view kName = "qr (forming q)";
  int64_t m;
  int64_t columns;
  int64_t reflections;
  char* a;
  const char* tau;
};

// Eigenvalues, ascending, of the symmetric A (n, n); only one triangle is read;
// with `has_vectors` the eigenvectors in place of its columns, else A is lost.
// Status: it did not converge.
struct EighArgs : StackArgs {
  static constexpr std::string_view kName = "eigh";
  int64_t n;
  bool reads_upper;
  bool has_vectors;
  char* a;
  char* values;
};

// A = U S V^T of A (m, n) with m >= n, which is lost: n values, descending; U
// (m, u_columns) and V^T (n, n), where u_columns is n or m, or 0 for neither of
// them. Status: it did not converge.
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
