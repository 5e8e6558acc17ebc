#include "catena/array/sorting/sort.h"

#include <vector>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/indexing/along_axis.h"
#include "catena/array/sorting/sort_kernel.h"

namespace catena::array {
namespace {

// The permutation that swaps the axis with the last one; its own inverse.
Array swap_with_last(const Array& a, int axis) {
  Axes axes;
  for (int i = 0; i < a.ndim(); ++i) axes.push_back(i);
  std::swap(axes[axis], axes.back());
  return a.transpose(axes);
}

enum class Copy { kAlways, kIfNeeded };

// The array with the sort axis last, and the axis.
struct Rows {
  Array values;  // contiguous
  int axis;
};

Rows make_rows(const Array& a, std::optional<Axis> axis, Copy copy,
               std::string_view operation) {
  const Array source = axis ? a : a.ravel();
  const int position =
      normalize_axis(axis.value_or(Axis(-1)), source.ndim(), operation);
  const Array rows = swap_with_last(source, position);
  // A copy made by ravel or for the layout can be sorted in place.
  const bool own = !rows.is_contiguous() || rows.storage() != a.storage();
  if (!rows.is_contiguous() || (!own && copy == Copy::kAlways)) {
    return {rows.copy(), position};
  }
  return {rows, position};
}

Array restore(const Array& rows, int axis) {
  return swap_with_last(rows, axis).contiguous();
}

SortArgs sort_args(const Array& rows) {
  const int64_t length = rows.shape().back();
  return {rows.device(), rows.size() / length, length, rows.raw_data(),
          nullptr};
}

void check_kth(const Array& a, int64_t kth, std::optional<Axis> axis,
               std::string_view operation) {
  const int64_t extent =
      axis ? a.shape()[normalize_axis(*axis, a.ndim(), operation)] : a.size();
  if (kth < -extent || kth >= extent) {
    raise<IndexError>(operation, ": kth ", kth,
                      " is out of range for an axis with extent ", extent);
  }
}

}  // namespace

Array sort(const Array& a, const OptionalAxisOption& options) {
  const Rows rows = make_rows(a, options.axis, Copy::kAlways, "sort");
  if (rows.values.size() > 0) {
    kernel_slot<SortFamily, Sort>.on(a.device())[a.dtype()](
        sort_args(rows.values));
  }
  return restore(rows.values, rows.axis);
}

Array msort(const Array& a) { return sort(a, 0); }

Array argsort(const Array& a, const OptionalAxisOption& options) {
  const Rows rows = make_rows(a, options.axis, Copy::kIfNeeded, "argsort");
  const Array order = empty_like(rows.values, Dtype::kInt64);
  if (rows.values.size() > 0) {
    SortArgs args = sort_args(rows.values);
    args.order = order.data<int64_t>();
    kernel_slot<SortFamily, Argsort>.on(a.device())[a.dtype()](args);
  }
  return restore(order, rows.axis);
}

Array partition(const Array& a, int64_t kth,
                const OptionalAxisOption& options) {
  check_kth(a, kth, options.axis, "partition");
  return sort(a, options.axis);
}

Array argpartition(const Array& a, int64_t kth,
                   const OptionalAxisOption& options) {
  check_kth(a, kth, options.axis, "argpartition");
  return argsort(a, options.axis);
}

Array lexsort(std::span<const Array> keys) {
  if (keys.empty()) {
    raise<ValueError>("lexsort: expected at least one key, got none");
  }
  std::vector<const Array*> all;
  for (const Array& key : keys) {
    if (key.shape() != keys[0].shape()) {
      raise<ShapeError>("lexsort: expected keys of one shape, got ",
                        keys[0].shape(), " and ", key.shape());
    }
    all.push_back(&key);
  }
  common_device(all, "lexsort");
  if (keys[0].ndim() == 0) {
    raise<ShapeError>("lexsort: expected keys with an axis, got shape ()");
  }
  // Least significant key first; each stable sort keeps the order of the ones
  // before.
  Array order = argsort(keys[0]);
  for (const Array& key : keys.subspan(1)) {
    const Array next = argsort(take_along_axis(key, order, -1));
    order = take_along_axis(order, next, -1);
  }
  return order;
}

Array lexsort(const Array& keys) {
  if (keys.ndim() == 0) {
    raise<ShapeError>("lexsort: expected keys along an axis, got shape ()");
  }
  std::vector<Array> rows;
  for (int64_t i = 0; i < keys.shape()[0]; ++i) rows.push_back(keys[i]);
  return lexsort(rows);
}

}  // namespace catena::array

namespace catena {

void Array::sort(const AxisOption& options) const {
  array::check_writable(*this, "sort");
  assign(array::sort(*this, options.axis));
}
Array Array::argsort(const OptionalAxisOption& options) const {
  return array::argsort(*this, options);
}

}  // namespace catena
