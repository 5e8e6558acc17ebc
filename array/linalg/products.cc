#include "catena/array/linalg/products.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/elementwise.h"
#include "catena/array/index.h"
#include "catena/array/linalg/contraction.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/output.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

void check_devices(const Array& a, const Array& b, std::string_view name) {
  const Array* const operands[] = {&a, &b};
  common_device(operands, name);
}

// Sums of products over pairs of axes, normalized and distinct.
Array contract_axes(std::string_view name, const Array& a, const Array& b,
                    const Axes& a_axes, const Axes& b_axes,
                    const OutOption& options = {}) {
  check_devices(a, b, name);
  const Dtype dtype = promote(a.dtype(), b.dtype());
  const auto if_needed = Array::CopyPolicy::kIfNeeded;
  Labelled x{a.astype(dtype, if_needed), std::vector<int>(a.ndim())};
  Labelled y{b.astype(dtype, if_needed), std::vector<int>(b.ndim())};
  std::iota(x.labels.begin(), x.labels.end(), 0);
  std::iota(y.labels.begin(), y.labels.end(), a.ndim());
  for (int i = 0; i < a_axes.size(); ++i) {
    const int in_a = static_cast<int>(a_axes[i]);
    const int in_b = static_cast<int>(b_axes[i]);
    if (a.shape()[in_a] != b.shape()[in_b]) {
      raise<ShapeError>(name, ": expected equal extents along axis ", in_a,
                        " of a and axis ", in_b, " of b, got shapes ",
                        a.shape(), " and ", b.shape());
    }
    y.labels[in_b] = in_a;
  }
  std::vector<int> kept;
  for (int i = 0; i < a.ndim(); ++i) {
    if (!a_axes.contains(i)) kept.push_back(i);
  }
  for (int i = 0; i < b.ndim(); ++i) {
    if (!b_axes.contains(i)) kept.push_back(y.labels[i]);
  }
  const Shape shape = shape_along(name, x, y, kept);
  const Output output(name, options.out, shape, dtype, a.device());
  return output.finish(
      arrange(contract(name, std::move(x), std::move(y), kept), kept));
}

// Normalized axes in the given order, which normalize_axes would not keep.
Axes checked_axes(const Axes& axes, int ndim) {
  Axes normalized;
  for (const int64_t axis : axes) {
    const int at = normalize_axis(axis, ndim, "tensordot");
    if (normalized.contains(at)) {
      raise<ValueError>("tensordot: expected distinct axes, got ", axes);
    }
    normalized.push_back(at);
  }
  return normalized;
}

Array move_axis(const Array& a, int from, int to) {
  Axes order;
  for (int i = 0; i < a.ndim(); ++i) {
    if (i != from) order.push_back(i);
  }
  order.insert(to, from);
  return a.transpose(order);
}

// Moves a's vectors to the last axis.
Array vectors_last(const Array& a, int64_t axis) {
  const int at = normalize_axis(axis, a.ndim(), "cross");
  const int64_t extent = a.shape()[at];
  if (extent != 2 && extent != 3) {
    raise<ShapeError>(
        "cross: expected vectors of 2 or 3 components, got shape ", a.shape(),
        " with ", extent, " along axis ", at);
  }
  return move_axis(a, at, a.ndim() - 1);
}

Array component(const Array& vectors, int64_t i) {
  return vectors[{ellipsis, i}];
}

// a_i b_j - a_j b_i; a missing third component is 0.
Array cross_component(const Array& a, const Array& b, int64_t i, int64_t j) {
  const auto has = [](const Array& vectors, int64_t k) {
    return k < vectors.shape().back();
  };
  if (!has(a, j) || !has(b, i)) {
    return multiply(component(a, i), component(b, j));
  }
  const Array right = multiply(component(a, j), component(b, i));
  if (!has(a, i) || !has(b, j)) return negative(right);
  return subtract(multiply(component(a, i), component(b, j)), right);
}

}  // namespace

Array vdot(const Array& a, const Array& b) {
  if (a.size() != b.size()) {
    raise<ShapeError>(
        "vdot: expected as many elements in a as in b, got shapes ", a.shape(),
        " and ", b.shape());
  }
  return contract_axes("vdot", a.ravel(), b.ravel(), {0}, {0});
}

Array inner(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b);
  return contract_axes("inner", a, b, {a.ndim() - 1}, {b.ndim() - 1});
}

Array outer(const Array& a, const Array& b, const OutOption& options) {
  check_devices(a, b, "outer");
  const Shape shape = {a.size(), b.size()};
  // For its checks: multiply would broadcast to `out`.
  const Output output("outer", options.out, shape,
                      promote(a.dtype(), b.dtype()), a.device());
  return multiply(a.reshape({a.size(), 1}), b.ravel(), {.out = options.out});
}

Array tensordot(const Array& a, const Array& b, int64_t axes,
                const OutOption& options) {
  if (axes < 0) {
    raise<ValueError>(
        "tensordot: expected a number of axes of at least 0, got ", axes);
  }
  if (axes > a.ndim() || axes > b.ndim()) {
    raise<ShapeError>("tensordot: expected at least ", axes,
                      " axes, got shapes ", a.shape(), " and ", b.shape());
  }
  Axes a_axes;
  Axes b_axes;
  for (int64_t i = 0; i < axes; ++i) {
    a_axes.push_back(a.ndim() - axes + i);
    b_axes.push_back(i);
  }
  return contract_axes("tensordot", a, b, a_axes, b_axes, options);
}

Array tensordot(const Array& a, const Array& b, const Axes& a_axes,
                const Axes& b_axes, const OutOption& options) {
  if (a_axes.size() != b_axes.size()) {
    raise<ValueError>("tensordot: expected as many axes of a as of b, got ",
                      a_axes, " and ", b_axes);
  }
  return contract_axes("tensordot", a, b, checked_axes(a_axes, a.ndim()),
                       checked_axes(b_axes, b.ndim()), options);
}

Array kron(const Array& a, const Array& b) {
  const int ndim = std::max(a.ndim(), b.ndim());
  if (2 * ndim > kMaxDims) {
    raise<ShapeError>("kron: expected at most ", kMaxDims / 2,
                      " axes, got shapes ", a.shape(), " and ", b.shape());
  }
  // (a0, 1, a1, 1, ...) times (1, b0, 1, b1, ...).
  Shape blocks;
  Shape elements;
  Shape shape;
  for (int i = 0; i < ndim; ++i) {
    const int in_a = i - (ndim - a.ndim());
    const int in_b = i - (ndim - b.ndim());
    const int64_t rows = in_a < 0 ? 1 : a.shape()[in_a];
    const int64_t columns = in_b < 0 ? 1 : b.shape()[in_b];
    blocks.push_back(rows);
    blocks.push_back(1);
    elements.push_back(1);
    elements.push_back(columns);
    shape.push_back(rows * columns);
  }
  return multiply(a.reshape(blocks), b.reshape(elements)).reshape(shape);
}

Array cross(const Array& a, const Array& b, const CrossOptions& options) {
  check_devices(a, b, "cross");
  const Array x = vectors_last(a, options.axis.value_or(options.axisa));
  const Array y = vectors_last(b, options.axis.value_or(options.axisb));
  Array third = cross_component(x, y, 0, 1);
  if (x.shape().back() == 2 && y.shape().back() == 2) return third;
  const int axis = normalize_axis(options.axis.value_or(options.axisc),
                                  third.ndim() + 1, "cross");
  Shape shape = third.shape();
  shape.insert(axis, 3);
  Array out = empty(shape, third.dtype(), third.device());
  const Array vectors = move_axis(out, axis, third.ndim());
  component(vectors, 0).assign(cross_component(x, y, 1, 2));
  component(vectors, 1).assign(cross_component(x, y, 2, 0));
  component(vectors, 2).assign(third);
  return out;
}

namespace linalg {
namespace {

// The cheapest parenthesization of a chain of matrices, where matrix i is
// (extents[i], extents[i + 1]), by dynamic programming.
class Brackets {
 public:
  explicit Brackets(std::vector<double> extents)
      : count_(extents.size() - 1),
        costs_(count_ * count_),
        splits_(count_ * count_) {
    for (size_t length = 2; length <= count_; ++length) {
      for (size_t first = 0; first + length <= count_; ++first) {
        const size_t last = first + length - 1;
        double& min = costs_[first * count_ + last];
        min = std::numeric_limits<double>::infinity();
        for (size_t split = first; split < last; ++split) {
          const double cost =
              costs_[first * count_ + split] +
              costs_[(split + 1) * count_ + last] +
              extents[first] * extents[split + 1] * extents[last + 1];
          if (cost < min) {
            min = cost;
            splits_[first * count_ + last] = split;
          }
        }
      }
    }
  }

  Array product(const std::vector<Array>& matrices, size_t first,
                size_t last) const {
    if (first == last) return matrices[first];
    const size_t split = splits_[first * count_ + last];
    return matmul(product(matrices, first, split),
                  product(matrices, split + 1, last));
  }

 private:
  size_t count_;
  std::vector<double> costs_;   // of the product from matrix i to j, at [i, j]
  std::vector<size_t> splits_;  // the last matrix of its left factor
};

}  // namespace

Array multi_dot(std::span<const Array> arrays) {
  if (arrays.size() < 2) {
    raise<ValueError>("multi_dot: expected at least two arrays, got ",
                      arrays.size());
  }
  std::vector<Array> matrices(arrays.begin(), arrays.end());
  const bool is_row = matrices.front().ndim() == 1;
  const bool is_column = matrices.back().ndim() == 1;
  if (is_row) matrices.front() = matrices.front().expand_dims(0);
  if (is_column) matrices.back() = matrices.back().expand_dims(1);
  std::vector<double> extents;
  for (size_t i = 0; i < matrices.size(); ++i) {
    const Shape& shape = matrices[i].shape();
    const bool fits =
        shape.ndim() == 2 && (i == 0 || matrices[i - 1].shape()[1] == shape[0]);
    if (!fits) {
      raise<ShapeError>(
          "multi_dot: expected matrices with as many rows as their predecessor "
          "has columns, got shape ",
          arrays[i].shape(), " for array ", i, i == 0 ? "" : " after ",
          i == 0 ? "" : to_string(arrays[i - 1].shape()));
    }
    extents.push_back(static_cast<double>(shape[0]));
  }
  extents.push_back(static_cast<double>(matrices.back().shape()[1]));
  const Array result =
      Brackets(std::move(extents)).product(matrices, 0, matrices.size() - 1);
  Shape shape;
  if (!is_row) shape.push_back(result.shape()[0]);
  if (!is_column) shape.push_back(result.shape()[1]);
  return result.reshape(shape);
}

}  // namespace linalg
}  // namespace catena::array
