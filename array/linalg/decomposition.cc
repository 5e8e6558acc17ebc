#include "catena/array/linalg/decomposition.h"

#include <algorithm>
#include <optional>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/decomposition_kernel.h"
#include "catena/array/linalg/matrix_stack.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

// Arrays are row-major and kernels column-major, so a kernel sees the transpose
// of a copied array.
namespace catena::array::linalg {
namespace {

int64_t rows_of(const Array& a) { return a.shape()[a.ndim() - 2]; }
int64_t columns_of(const Array& a) { return a.shape().back(); }

// An (n, n) identity for every matrix of the stack.
Array identities(const Array& a, int64_t n) {
  return identity(n, a.dtype(), a.device())
      .broadcast_to(stack_shape(a, {n, n}))
      .copy();
}

[[noreturn]] void raise_not_converged(std::string_view name,
                                      const Failure& failure, const Array& a) {
  raise<LinAlgError>(name, ": did not converge for ",
                     describe_matrix(failure.matrix, a));
}

SvdResult decompose(std::string_view name, const Array& a,
                    const SvdOptions& options) {
  check_matrices(name, a);
  const int64_t m = rows_of(a);
  const int64_t n = columns_of(a);
  const int64_t k = std::min(m, n);
  // Kernels require at least as many rows as columns.
  const bool is_tall = m > n;
  const Array work = matrices_for_kernel(name, is_tall ? swap_last(a) : a);
  check_finite(name, work, a);
  const Array s = empty(stack_shape(a, {k}), work.dtype(), work.device());
  if (a.size() == 0) {
    if (!options.compute_uv) return {{}, s, {}};
    if (options.full_matrices) {
      return {identities(work, m), s, identities(work, n)};
    }
    return {zeros(stack_shape(a, {m, k}), work.dtype(), work.device()), s,
            zeros(stack_shape(a, {k, n}), work.dtype(), work.device())};
  }
  const int64_t rows = std::max(m, n);
  SvdArgs args{};
  args.m = rows;
  args.n = k;
  args.a = work.raw_data();
  args.values = s.raw_data();
  Array left;   // the kernel's U, transposed
  Array right;  // the kernel's V^T, transposed
  if (options.compute_uv) {
    args.u_columns = options.full_matrices ? rows : k;
    left = empty(stack_shape(a, {args.u_columns, rows}), work.dtype(),
                 work.device());
    right = empty(stack_shape(a, {k, k}), work.dtype(), work.device());
    args.u = left.raw_data();
    args.vt = right.raw_data();
  }
  const Array status = run_on_stack(work, args);
  if (const auto failure = find_failure(status)) {
    raise_not_converged(name, *failure, a);
  }
  if (!options.compute_uv) return {{}, s, {}};
  // The input was transposed: swap and transpose the factors.
  if (!is_tall) return {right, s, left};
  return {swap_last(left).copy(), s, swap_last(right).copy()};
}

EighResult decompose_symmetric(std::string_view name, const Array& a,
                               Triangle triangle, bool has_vectors) {
  check_square(name, a);
  const int64_t n = columns_of(a);
  const Array work = matrices_for_kernel(name, a);
  // The other triangle is not read.
  check_finite(
      name, triangle == Triangle::kLower ? keep_lower(work) : keep_upper(work),
      a);
  const Array w = empty(stack_shape(a, {n}), work.dtype(), work.device());
  if (a.size() > 0) {
    EighArgs args{};
    args.n = n;
    args.reads_upper = triangle == Triangle::kLower;
    args.has_vectors = has_vectors;
    args.a = work.raw_data();
    args.values = w.raw_data();
    if (const auto failure = find_failure(run_on_stack(work, args))) {
      raise_not_converged(name, *failure, a);
    }
  }
  return {w, has_vectors ? swap_last(work).copy() : Array()};
}

}  // namespace

Array cholesky(const Array& a) {
  check_square("cholesky", a);
  const Array work = matrices_for_kernel("cholesky", a);
  if (a.size() == 0) return work;
  CholeskyArgs args{};
  args.n = columns_of(a);
  args.a = work.raw_data();
  const auto failure = find_failure(run_on_stack(work, args));
  if (failure.has_value()) {
    raise<LinAlgError>(
        "cholesky: expected positive definite matrices, got the "
        "leading minor of order ",
        failure->status, " not positive in ",
        describe_matrix(failure->matrix, a));
  }
  // Not every library detects NaN.
  check_finite("cholesky", diagonals(work).expand_dims(-1), a);
  return keep_lower(work);
}

QrResult qr(const Array& a, QrMode mode) {
  check_matrices("qr", a);
  const int64_t m = rows_of(a);
  const int64_t n = columns_of(a);
  const int64_t k = std::min(m, n);
  const Array work = matrices_for_kernel("qr", swap_last(a));
  const bool is_complete = mode == QrMode::kComplete;
  const int64_t columns = is_complete ? m : k;
  if (a.size() == 0) {
    const Array r =
        zeros(stack_shape(a, {columns, n}), work.dtype(), work.device());
    if (mode == QrMode::kR) return {{}, r};
    if (is_complete) return {identities(work, m), r};
    return {zeros(stack_shape(a, {m, k}), work.dtype(), work.device()), r};
  }
  const Array tau = empty(stack_shape(a, {k}), work.dtype(), work.device());
  QrArgs args{};
  args.m = m;
  args.n = n;
  args.a = work.raw_data();
  args.tau = tau.raw_data();
  run_on_stack(work, args);
  const Array r =
      keep_upper(swap_last(work[{ellipsis, Slice(), Slice(columns)}]));
  if (mode == QrMode::kR) return {{}, r};
  const Array q =
      empty(stack_shape(a, {columns, m}), work.dtype(), work.device());
  q[{ellipsis, Slice(k), Slice()}].assign(work[{ellipsis, Slice(k), Slice()}]);
  FormQArgs form{};
  form.m = m;
  form.columns = columns;
  form.reflections = k;
  form.a = q.raw_data();
  form.tau = tau.raw_data();
  run_on_stack(q, form);
  return {swap_last(q).copy(), r};
}

SvdResult svd(const Array& a, const SvdOptions& options) {
  return decompose("svd", a, options);
}

Array svdvals(const Array& a) {
  return decompose("svdvals", a, {.compute_uv = false}).s;
}

EighResult eigh(const Array& a, Triangle UPLO) {
  return decompose_symmetric("eigh", a, UPLO, /*has_vectors=*/true);
}

Array eigvalsh(const Array& a, Triangle UPLO) {
  return decompose_symmetric("eigvalsh", a, UPLO, /*has_vectors=*/false).w;
}

}  // namespace catena::array::linalg
