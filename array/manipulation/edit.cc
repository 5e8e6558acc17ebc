#include "catena/array/manipulation/edit.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

// Normalizes the indices to [0, end).
std::vector<int64_t> resolved(std::span<const int64_t> indices, int64_t extent,
                              int64_t end, int axis,
                              std::string_view operation) {
  std::vector<int64_t> result;
  for (const int64_t index : indices) {
    if (index < -extent || index >= end) {
      raise<IndexError>(operation, ": index ", index,
                        " is out of range for axis ", axis, " with extent ",
                        extent);
    }
    result.push_back(index < 0 ? index + extent : index);
  }
  return result;
}

Array slice_along(const Array& a, int axis, const Slice& slice) {
  std::vector<Index> part(axis, Slice());
  part.push_back(slice);
  return basic_index(a, part);
}

}  // namespace

Array delete_(const Array& a, std::span<const int64_t> indices,
              const OptionalAxisOption& options) {
  const Array source = options.axis ? a : a.ravel();
  const int position =
      normalize_axis(options.axis.value_or(Axis(0)), source.ndim(), "delete");
  const int64_t extent = source.shape()[position];
  std::vector<bool> missing(extent, false);
  for (const int64_t i :
       resolved(indices, extent, extent, position, "delete")) {
    missing[i] = true;
  }
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < extent; ++i) {
    if (!missing[i]) kept.push_back(i);
  }
  return take(source, array(kept, std::nullopt, a.device()), position);
}

Array insert(const Array& a, std::span<const int64_t> indices,
             const Operand& values, const OptionalAxisOption& options) {
  const Array source = options.axis ? a : a.ravel();
  const int position =
      normalize_axis(options.axis.value_or(Axis(0)), source.ndim(), "insert");
  const int64_t extent = source.shape()[position];
  const std::vector<int64_t> before =
      resolved(indices, extent, extent + 1, position, "insert");
  const int64_t count = static_cast<int64_t>(before.size());
  Shape new_shape = source.shape();
  new_shape[position] = count;
  const Array given = asarray(values, a.dtype(), a.device());
  if (broadcast_shapes(given.shape(), new_shape, "insert") != new_shape) {
    raise<ShapeError>("insert: expected values that broadcast to ", new_shape,
                      ", got ", given.shape());
  }
  Shape shape = source.shape();
  shape[position] += count;
  const Array result = empty(shape, a.dtype(), a.device());
  // The new slices by ascending index, and the final position of each.
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return before[i]; });
  const Array slices = given.broadcast_to(new_shape);
  int64_t copied = 0;
  for (int64_t k = 0; k <= count; ++k) {
    const int64_t next = k < count ? before[order[k]] : extent;
    if (next > copied) {
      slice_along(result, position, Slice(copied + k, next + k))
          .assign(slice_along(source, position, Slice(copied, next)));
      copied = next;
    }
    if (k < count) {
      slice_along(result, position, Slice(next + k, next + k + 1))
          .assign(slice_along(slices, position, Slice(order[k], order[k] + 1)));
    }
  }
  return result;
}

Array diff(const Array& a, int64_t n, Axis axis) {
  if (n < 0) raise<ValueError>("diff: expected n of at least 0, got ", n);
  const int position = normalize_axis(axis, a.ndim(), "diff");
  Array result = n == 0 ? a.copy() : a;
  for (; n > 0 && result.shape()[position] > 0; --n) {
    const Array before = slice_along(result, position, Slice(0, -1));
    const Array behind = slice_along(result, position, Slice(1, std::nullopt));
    result = a.dtype() == Dtype::kBool ? not_equal(behind, before)
                                       : subtract(behind, before);
  }
  return result.is_same(a) ? a.copy() : result;
}

}  // namespace catena::array
