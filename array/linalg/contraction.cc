#include "catena/array/linalg/contraction.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

using Labels = std::vector<int>;

bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// The `labels` that satisfy the predicate, in the memory order of x.
template <class Predicate>
Labels select_in_memory_order(const Labelled& x, Predicate holds) {
  Labels selected;
  for (const int label : x.labels) {
    if (holds(label)) selected.push_back(label);
  }
  const auto stride = [&x](int label) {
    return std::abs(x.array.strides()[x.axis_of(label)]);
  };
  std::stable_sort(selected.begin(), selected.end(),
                   [&](int l, int m) { return stride(l) > stride(m); });
  return selected;
}

int64_t size_along(const Labelled& x, const Labels& labels) {
  int64_t size = 1;
  for (const int label : labels) size *= x.array.shape()[x.axis_of(label)];
  return size;
}

// Whether the axes can be merged.
bool is_one_axis(const Labelled& x, const Labels& labels) {
  int64_t next = -1;  // the stride that continues the axes after
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    const int axis = x.axis_of(*label);
    const int64_t extent = x.array.shape()[axis];
    if (extent == 1) continue;
    const int64_t stride = x.array.strides()[axis];
    if (next != -1 && stride != next) return false;
    next = stride * extent;
  }
  return true;
}

Labels join(const Labels& a, const Labels& b) {
  Labels all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// x as a stack of matrices: one axis per batch label, then rows and columns as
// one axis each. A view if those axes can be merged.
Array as_matrices(const Labelled& x, const Labels& batch, const Labels& rows,
                  const Labels& columns) {
  Shape shape;
  if (batch.size() + 2 > kMaxDims) {
    shape.push_back(size_along(x, batch));
  } else {
    for (const int label : batch) {
      shape.push_back(x.array.shape()[x.axis_of(label)]);
    }
  }
  shape.push_back(size_along(x, rows));
  shape.push_back(size_along(x, columns));
  return arrange(x, join(join(batch, rows), columns)).reshape(shape);
}

// x with axes in the order of `labels`, of extent 1 where it has none.
Array align(const Labelled& x, const Labels& labels) {
  Labels own;
  for (const int label : labels) {
    if (contains(x.labels, label)) own.push_back(label);
  }
  Array aligned = arrange(x, own);
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!contains(x.labels, labels[i])) {
      aligned = aligned.expand_dims(static_cast<int64_t>(i));
    }
  }
  return aligned;
}

}  // namespace

Shape shape_along(std::string_view operation, const Labelled& a,
                  const Labelled& b, const std::vector<int>& labels) {
  if (labels.size() > kMaxDims) {
    raise<ShapeError>(operation, ": expected results of at most ", kMaxDims,
                      " axes, including intermediate ones, got ", labels.size(),
                      " from shapes ", a.array.shape(), " and ",
                      b.array.shape());
  }
  Shape shape;
  for (const int label : labels) {
    const bool in_a = contains(a.labels, label);
    const Labelled& x = in_a ? a : b;
    shape.push_back(x.array.shape()[x.axis_of(label)]);
  }
  return shape;
}

int Labelled::axis_of(int label) const {
  const auto found = std::find(labels.begin(), labels.end(), label);
  return found == labels.end() ? -1 : static_cast<int>(found - labels.begin());
}

Array arrange(const Labelled& x, const std::vector<int>& labels) {
  Axes axes;
  bool is_moved = false;
  for (const int label : labels) {
    is_moved = is_moved || x.axis_of(label) != axes.size();
    axes.push_back(x.axis_of(label));
  }
  return is_moved ? x.array.transpose(axes) : x.array;
}

Array sum_as_is(const Array& a, const Axes& axes) {
  if (axes.empty()) return a;
  if (a.dtype() == Dtype::kBool) return any(a, {.axis = axes});
  return sum(a, {.axis = axes, .dtype = a.dtype()});
}

Labelled contract(std::string_view operation, Labelled a, Labelled b,
                  const std::vector<int>& kept) {
  const auto in_both = [&](int label) {
    return contains(a.labels, label) && contains(b.labels, label);
  };
  const auto is_batch = [&](int l) { return in_both(l) && contains(kept, l); };
  const auto is_summed = [&](int l) {
    return in_both(l) && !contains(kept, l);
  };
  const auto is_own = [&](int l) { return !in_both(l); };

  // The last axis, the fastest, determines the order of the result.
  if (!kept.empty() && contains(a.labels, kept.back()) &&
      !contains(b.labels, kept.back())) {
    std::swap(a, b);
  }
  const Labelled& larger = a.array.size() >= b.array.size() ? a : b;
  const Labels batch = select_in_memory_order(larger, is_batch);
  const Labels rows = select_in_memory_order(a, is_own);
  const Labels columns = select_in_memory_order(b, is_own);
  Labels summed = select_in_memory_order(larger, is_summed);
  const Labels result = join(join(batch, rows), columns);
  const Shape shape = shape_along(operation, a, b, result);

  if (summed.empty()) {
    return {array::multiply(align(a, kept), align(b, kept)), kept};
  }
  if (rows.empty() && columns.empty() && !batch.empty() &&
      item_size(a.array.dtype()) >= 4) {
    // Many short sums: each would be a BLAS call.
    const Labels labels = join(batch, summed);
    Axes axes;
    for (size_t i = batch.size(); i < labels.size(); ++i) {
      axes.push_back(static_cast<int64_t>(i));
    }
    const Array product =
        array::multiply(arrange(a, labels), arrange(b, labels));
    return {sum_as_is(product, axes), batch};
  }
  if (!is_one_axis(larger, summed)) {
    const Labelled& smaller = &larger == &a ? b : a;
    const Labels other = select_in_memory_order(smaller, is_summed);
    if (is_one_axis(larger, other)) summed = other;
  }
  const Array product = matmul(as_matrices(a, batch, rows, summed),
                               as_matrices(b, batch, summed, columns));
  return {product.reshape(shape), result};
}

}  // namespace catena::array
