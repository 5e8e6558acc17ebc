#include "catena/array/linalg/norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/decomposition.h"
#include "catena/array/linalg/matrix_stack.h"
#include "catena/array/linalg/solve.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array::linalg {
namespace {

ReduceOptions along(const Axes& axes) {
  return {.axis = axes, .keepdims = true};
}

Array root_of_squares(const Array& x, const Axes& axes) {
  return sqrt(sum_of_squares(x, along(axes)))
      .astype(x.dtype(), Array::CopyPolicy::kIfNeeded);
}

// All keep the reduced axes with extent 1.
Array vector_norm(const Array& x, const Axes& axes,
                  const std::optional<NormOrder>& order) {
  if (!order.has_value()) return root_of_squares(x, axes);
  if (order->kind() != NormOrder::Kind::kNumber) {
    raise<ValueError>(
        "norm: expected a number as ord for vectors, got \"",
        order->kind() == NormOrder::Kind::kNuclear ? "nuc" : "fro", "\"");
  }
  const double p = order->number();
  if (p == 2) return root_of_squares(x, axes);
  if (p == 0) return count_nonzero(x, along(axes)).astype(x.dtype());
  const Array magnitude = absolute(x);
  if (p == 1) return sum(magnitude, along(axes));
  if (std::isinf(p)) {
    return p > 0 ? max(magnitude, along(axes)) : min(magnitude, along(axes));
  }
  return power(sum(power(magnitude, p), along(axes)), 1 / p);
}

Array extreme(const Array& x, int64_t axis, bool is_largest) {
  return is_largest ? max(x, along({axis})) : min(x, along({axis}));
}

// Reduces the singular values; keeps the two axes with extent 1.
template <class Reduce>
Array of_singular_values(const Array& x, int row_axis, int column_axis,
                         Reduce reduce) {
  Axes order;
  for (int i = 0; i < x.ndim(); ++i) {
    if (i != row_axis && i != column_axis) order.push_back(i);
  }
  order.push_back(row_axis);
  order.push_back(column_axis);
  Array result = reduce(svdvals(x.transpose(order)));
  const int first = std::min(row_axis, column_axis);
  const int second = std::max(row_axis, column_axis);
  return result.expand_dims(first).expand_dims(second);
}

Array matrix_norm(const Array& x, int row_axis, int column_axis,
                  const std::optional<NormOrder>& order) {
  using Kind = NormOrder::Kind;
  if (!order.has_value() || order->kind() == Kind::kFrobenius) {
    return root_of_squares(x, {row_axis, column_axis});
  }
  const auto reduced = [](const Array& s, auto reduction) {
    return reduction(s, ReduceOptions{.axis = -1});
  };
  if (order->kind() == Kind::kNuclear) {
    return of_singular_values(x, row_axis, column_axis, [&](const Array& s) {
      return reduced(s, [](auto&&... a) { return sum(a...); });
    });
  }
  const double p = order->number();
  if (std::abs(p) == 2) {
    return of_singular_values(x, row_axis, column_axis, [&](const Array& s) {
      return reduced(
          s, [p](auto&&... a) { return p > 0 ? max(a...) : min(a...); });
    });
  }
  if (std::abs(p) == 1) {
    return extreme(sum(absolute(x), along({row_axis})), column_axis, p > 0);
  }
  if (std::isinf(p)) {
    return extreme(sum(absolute(x), along({column_axis})), row_axis, p > 0);
  }
  raise<ValueError>(
      "norm: expected 1, -1, 2, -2, inf, -inf, \"fro\" or "
      "\"nuc\" as ord for matrices, got ",
      p);
}

double epsilon_of(Dtype dtype) {
  return dtype == Dtype::kFloat32 ? std::numeric_limits<float>::epsilon()
                                  : std::numeric_limits<double>::epsilon();
}

}  // namespace

NormOrder::NormOrder(const char* name) {
  const std::string_view text = name;
  if (text != "fro" && text != "nuc") {
    raise<ValueError>(
        "norm: expected a number, \"fro\" or \"nuc\" as ord, "
        "got \"",
        text, "\"");
  }
  kind_ = text == "fro" ? Kind::kFrobenius : Kind::kNuclear;
}

Array norm(const Array& x, const NormOptions& options) {
  // In the given order: rows, columns.
  Axes axes;
  if (options.axis.is_all()) {
    axes = options.axis.normalized(x.ndim(), "norm");
  } else {
    for (const int64_t axis : *options.axis.axes()) {
      axes.push_back(normalize_axis(axis, x.ndim(), "norm"));
    }
  }
  const bool is_flattened = options.axis.is_all() && !options.ord.has_value();
  const bool is_repeated = axes.size() == 2 && axes[0] == axes[1];
  if (!is_flattened && (axes.empty() || axes.size() > 2 || is_repeated)) {
    raise<ValueError>(
        "norm: expected one axis for vectors or two distinct axes for "
        "matrices, got axes ",
        axes, " of shape ", x.shape());
  }
  Dtype dtype = is_floating(x.dtype()) ? x.dtype() : Dtype::kFloat64;
  const Dtype result_dtype = dtype;
  if (item_size(dtype) == 2) {
    // Singular values are not supported, as in svd.
    const bool is_simple = is_flattened || axes.size() == 1 ||
                           !options.ord.has_value() ||
                           options.ord->kind() == NormOrder::Kind::kFrobenius ||
                           std::abs(options.ord->number()) == 1 ||
                           std::isinf(options.ord->number());
    if (!is_simple) linalg_dtype("norm", dtype);
    dtype = Dtype::kFloat32;
  }
  const Array wide = x.astype(dtype, Array::CopyPolicy::kIfNeeded);
  Array result;
  if (is_flattened) {
    // A 0-d x has nothing to sum; an empty list would mean all axes.
    result = axes.empty() ? absolute(wide) : root_of_squares(wide, axes);
  } else if (axes.size() == 1) {
    result = vector_norm(wide, axes, options.ord);
  } else {
    result = matrix_norm(wide, static_cast<int>(axes[0]),
                         static_cast<int>(axes[1]), options.ord);
  }
  result = result.astype(result_dtype, Array::CopyPolicy::kIfNeeded);
  if (options.keepdims || axes.empty()) return result;
  return result.squeeze(axes);
}

Array cond(const Array& x, std::optional<NormOrder> p) {
  check_matrices("cond", x);
  if (x.size() == 0) {
    raise<ValueError>("cond: expected matrices with elements, got shape ",
                      x.shape());
  }
  const bool is_number =
      !p.has_value() || p->kind() == NormOrder::Kind::kNumber;
  const double order = p.has_value() ? p->number() : 2;
  if (is_number && std::abs(order) == 2) {
    const Array s = svdvals(x);
    const Array largest = max(s, {.axis = -1});
    const Array smallest = min(s, {.axis = -1});
    return order > 0 ? true_divide(largest, smallest)
                     : true_divide(smallest, largest);
  }
  const Array matrices =
      x.astype(linalg_dtype("cond", x.dtype()), Array::CopyPolicy::kIfNeeded);
  const Axes last = {-2, -1};
  const Array inverses = inv_or_nan(matrices);
  const Array product = multiply(
      norm(matrices, {.ord = p, .axis = last}),
      norm(where(isnan(inverses), 0, inverses), {.ord = p, .axis = last}));
  const Array has_nan = any(isnan(matrices), {.axis = last});
  const Array is_singular = any(isnan(inverses), {.axis = last});
  return where(
      has_nan, std::numeric_limits<double>::quiet_NaN(),
      where(is_singular, std::numeric_limits<double>::infinity(), product));
}

Array matrix_rank(const Array& M, const MatrixRankOptions& options) {
  if (M.ndim() < 2) {
    return any(M).astype(Dtype::kInt64);
  }
  const Array s = options.hermitian ? absolute(eigvalsh(M)) : svdvals(M);
  const Axes last = {-1};
  if (s.shape().back() == 0) {
    return zeros(stack_shape(M), Dtype::kInt64, M.device());
  }
  if (options.tol.has_value()) {
    return count_nonzero(greater(s, *options.tol), {.axis = last});
  }
  const auto extent =
      static_cast<double>(std::max(M.shape()[M.ndim() - 2], M.shape().back()));
  const Array tolerance = multiply(max(s, {.axis = last, .keepdims = true}),
                                   extent * epsilon_of(s.dtype()));
  return count_nonzero(greater(s, tolerance), {.axis = last});
}

}  // namespace catena::array::linalg
