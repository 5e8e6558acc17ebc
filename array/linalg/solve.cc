#include "catena/array/linalg/solve.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/index.h"
#include "catena/array/linalg/decomposition.h"
#include "catena/array/linalg/decomposition_kernel.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/linalg/matrix_stack.h"
#include "catena/array/manipulation/copyto.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array::linalg {
namespace {

// L and U of the transposed matrices, as kernels see them.
struct Lu {
  Array factors;
  Array pivots;
  Array status;
};

Lu factorize(const Array& matrices) {
  const int64_t n = matrices.shape().back();
  Lu lu{matrices,
        empty(stack_shape(matrices, {n}), Dtype::kInt64, matrices.device()),
        {}};
  LuArgs args{};
  args.n = n;
  args.a = matrices.raw_data();
  args.pivots = lu.pivots.data<int64_t>();
  lu.status = run_on_stack(matrices, args);
  return lu;
}

void check_nonsingular(std::string_view name, const Lu& lu, const Array& a) {
  if (const auto failure = find_failure(lu.status)) {
    raise<LinAlgError>(name, ": expected nonsingular matrices, got 0 as pivot ",
                       failure->status, " of ",
                       describe_matrix(failure->matrix, a));
  }
}

// Replaces b, (..., columns, n) in memory, by the solution: NaN if a matrix has
// one, whose products with zeros the kernels skip.
void solve_in_place(const Lu& lu, const Array& b, bool transposed) {
  LuSolveArgs args{};
  args.n = b.shape().back();
  args.columns = b.shape()[b.ndim() - 2];
  args.lu = lu.factors.raw_data();
  args.pivots = lu.pivots.data<int64_t>();
  args.b = b.raw_data();
  args.transposed = transposed;
  run_on_stack(b, args);
  const Array has_nan =
      any(isnan(lu.factors), {.axis = {-2, -1}, .keepdims = true});
  copyto(b, std::numeric_limits<double>::quiet_NaN(), {.where = has_nan});
}

// Solving with the identity for the transposes that kernels see gives our
// inverses.
Array inverses(const Lu& lu) {
  const int64_t n = lu.factors.shape().back();
  const Array b = identity(n, lu.factors.dtype(), lu.factors.device())
                      .broadcast_to(lu.factors.shape())
                      .copy();
  solve_in_place(lu, b, /*transposed=*/false);
  return b;
}

// Whether the number of row exchanges is odd.
Array is_odd(const Lu& lu) {
  const int64_t n = lu.pivots.shape().back();
  const Array order = arange(1, n + 1, 1, Dtype::kInt64, lu.pivots.device());
  const Array exchanges =
      count_nonzero(not_equal(lu.pivots, order), {.axis = -1});
  return equal(remainder(exchanges, 2), 1);
}

// One matrix for a stack of right-hand sides (..., n, columns): they are
// concatenated, so that the matrix is factorized once.
Array solve_for_stack(const Array& a, const Array& b) {
  const int rows = b.ndim() - 2;
  Axes order = {rows};
  Shape shape = {b.shape()[rows]};
  for (int i = 0; i < b.ndim(); ++i) {
    if (i == rows) continue;
    order.push_back(i);
    shape.push_back(b.shape()[i]);
  }
  const int64_t width = size_of(shape) / std::max<int64_t>(shape[0], 1);
  const Array x =
      solve(a, b.transpose(order).reshape({shape[0], width})).reshape(shape);
  Axes back;
  for (int i = 1; i <= rows; ++i) back.push_back(i);
  back.push_back(0);
  back.push_back(rows + 1);
  return x.transpose(back).copy();
}

// The common dtype of the operands.
Dtype common_dtype(std::string_view name, const Array& a, const Array& b) {
  const Array* const operands[] = {&a, &b};
  common_device(operands, name);
  return promote(linalg_dtype(name, a.dtype()), linalg_dtype(name, b.dtype()));
}

// 1 / s where s is above the cutoff, which broadcasts to it, else 0.
Array reciprocal_above(const Array& s, const Array& cutoff) {
  const Array is_above = greater(s, cutoff);
  return where(is_above, true_divide(1, where(is_above, s, 1)), 0);
}

Array largest(const Array& s) { return max(s, {.axis = -1, .keepdims = true}); }

}  // namespace

Array solve(const Array& a, const Array& b) {
  const Dtype dtype = common_dtype("solve", a, b);
  check_square("solve", a);
  const int64_t n = a.shape().back();
  const bool is_vector = b.ndim() == a.ndim() - 1;
  const Array columns = is_vector ? b.expand_dims(-1) : b;
  if (columns.ndim() < 2 || columns.shape()[columns.ndim() - 2] != n) {
    raise<ShapeError>("solve: expected as many rows of b as of a, got shapes ",
                      a.shape(), " and ", b.shape());
  }
  if (a.ndim() == 2 && columns.ndim() > 2) return solve_for_stack(a, columns);
  const Shape leading =
      broadcast_shapes(stack_shape(a), stack_shape(columns), "solve");
  const int64_t width = columns.shape().back();
  Shape shape = leading;
  shape.push_back(n);
  shape.push_back(n);
  const Array matrices = a.broadcast_to(shape).astype(dtype);
  shape[leading.size()] = width;
  const Array x = swap_last(columns).broadcast_to(shape).astype(dtype);
  if (matrices.size() > 0) {
    const Lu lu = factorize(matrices);
    check_nonsingular("solve", lu, matrices);
    if (x.size() > 0) solve_in_place(lu, x, /*transposed=*/true);
  }
  if (!is_vector) return swap_last(x).copy();
  shape.erase(leading.size());
  return x.reshape(shape);
}

Array inv(const Array& a) {
  check_square("inv", a);
  const Array matrices = matrices_for_kernel("inv", a);
  if (a.size() == 0) return matrices;
  const Lu lu = factorize(matrices);
  check_nonsingular("inv", lu, a);
  return inverses(lu);
}

Array inv_or_nan(const Array& a) {
  check_square("inv", a);
  const Array matrices = matrices_for_kernel("inv", a);
  if (a.size() == 0) return matrices;
  const Lu lu = factorize(matrices);
  const Array is_singular =
      greater(lu.status, 0).reshape(stack_shape(a, {1, 1}));
  return where(is_singular, std::numeric_limits<double>::quiet_NaN(),
               inverses(lu));
}

Array pinv(const Array& a, double rcond) {
  check_matrices("pinv", a);
  if (a.size() == 0) {
    return empty(stack_shape(a, {a.shape().back(), a.shape()[a.ndim() - 2]}),
                 linalg_dtype("pinv", a.dtype()), a.device());
  }
  check_finite("pinv", a, a);
  const auto [u, s, vh] = svd(a, {.full_matrices = false});
  const Array inverted = reciprocal_above(s, multiply(largest(s), rcond));
  return matmul(multiply(swap_last(vh), inverted.expand_dims(-2)), u,
                {.transb = true});
}

LstsqResult lstsq(const Array& a, const Array& b, std::optional<double> rcond) {
  const Dtype dtype = common_dtype("lstsq", a, b);
  if (a.ndim() != 2 || b.ndim() < 1 || b.ndim() > 2 ||
      a.shape()[0] != b.shape()[0]) {
    raise<ShapeError>(
        "lstsq: expected a matrix a and a vector or matrix b "
        "with as many rows, got shapes ",
        a.shape(), " and ", b.shape());
  }
  const int64_t m = a.shape()[0];
  const int64_t n = a.shape()[1];
  check_finite("lstsq", a, a);
  const Array matrix = a.astype(dtype, Array::CopyPolicy::kIfNeeded);
  const Array target = b.astype(dtype, Array::CopyPolicy::kIfNeeded);
  const Array none = empty({0}, dtype, a.device());
  const auto column_squares = [dtype](const Array& x) {
    return sum_of_squares(x, {.axis = 0})
        .astype(dtype, Array::CopyPolicy::kIfNeeded)
        .reshape({-1});
  };
  if (a.size() == 0) {
    Shape shape = b.shape();
    shape[0] = n;
    // Without columns the residual is b itself.
    return {zeros(shape, dtype, a.device()),
            n == 0 && m > 0 ? column_squares(target) : none, 0, none};
  }
  const double epsilon = dtype == Dtype::kFloat32
                             ? std::numeric_limits<float>::epsilon()
                             : std::numeric_limits<double>::epsilon();
  const auto [u, s, vh] = svd(matrix, {.full_matrices = false});
  const Array cutoff =
      multiply(largest(s),
               rcond.value_or(epsilon * static_cast<double>(std::max(m, n))));
  const int64_t rank = count_nonzero(greater(s, cutoff)).item<int64_t>();
  Array inverted = reciprocal_above(s, cutoff);
  if (b.ndim() == 2) inverted = inverted.expand_dims(-1);
  const Array x = matmul(vh.T(), multiply(inverted, matmul(u.T(), target)));
  if (rank < n || m <= n) return {x, none, rank, s};
  return {x, column_squares(subtract(target, matmul(matrix, x))), rank, s};
}

Array det(const Array& a) {
  check_square("det", a);
  const Array matrices = matrices_for_kernel("det", a);
  if (a.size() == 0) return ones(stack_shape(a), matrices.dtype(), a.device());
  const Lu lu = factorize(matrices);
  const Array product = prod(diagonals(lu.factors), {.axis = -1});
  return where(is_odd(lu), negative(product), product);
}

SlogdetResult slogdet(const Array& a) {
  check_square("slogdet", a);
  const Array matrices = matrices_for_kernel("slogdet", a);
  const Shape shape = stack_shape(a);
  if (a.size() == 0) {
    return {ones(shape, matrices.dtype(), a.device()),
            zeros(shape, matrices.dtype(), a.device())};
  }
  const Lu lu = factorize(matrices);
  const Array diagonal = diagonals(lu.factors);
  const Array product = prod(array::sign(diagonal), {.axis = -1});
  return {where(is_odd(lu), negative(product), product),
          sum(log(absolute(diagonal)), {.axis = -1})};
}

Array matrix_power(const Array& a, int64_t n) {
  check_square("matrix_power", a);
  if (n == 0) {
    return identity(a.shape().back(), a.dtype(), a.device())
        .broadcast_to(a.shape())
        .copy();
  }
  Array square = n < 0 ? inv(a) : a;
  // Unsigned, since the minimum has no positive counterpart.
  uint64_t left = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  Array power;
  for (; left > 0; left /= 2) {
    if (left % 2 == 1) power = power.defined() ? matmul(power, square) : square;
    if (left > 1) square = matmul(square, square);
  }
  return power.is_same(a) ? a.copy() : power;
}

Array tensorinv(const Array& a, int64_t ind) {
  if (ind <= 0) {
    raise<ValueError>("tensorinv: expected ind above 0, got ", ind);
  }
  Shape first;
  Shape rest;
  for (int i = 0; i < a.ndim(); ++i) {
    (i < ind ? first : rest).push_back(a.shape()[i]);
  }
  if (size_of(first) != size_of(rest)) {
    raise<ShapeError>(
        "tensorinv: expected the first ", ind,
        " axes to have the same total size as the others, got shape ",
        a.shape());
  }
  Shape shape = rest;
  for (const int64_t extent : first) shape.push_back(extent);
  return inv(a.reshape({size_of(first), size_of(rest)})).reshape(shape);
}

Array tensorsolve(const Array& a, const Array& b) {
  Shape head;
  Shape shape;
  for (int i = 0; i < a.ndim(); ++i) {
    (i < b.ndim() ? head : shape).push_back(a.shape()[i]);
  }
  if (head != b.shape() || size_of(shape) != b.size()) {
    raise<ShapeError>(
        "tensorsolve: expected a to have the shape of b followed "
        "by one of the same size, got shapes ",
        a.shape(), " and ", b.shape());
  }
  return solve(a.reshape({b.size(), b.size()}), b.reshape({b.size()}))
      .reshape(shape);
}

}  // namespace catena::array::linalg
