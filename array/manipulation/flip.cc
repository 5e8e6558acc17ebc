#include "catena/array/manipulation/flip.h"

#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/manipulation/axes.h"

namespace catena::array {
namespace {

Array slice_along(const Array& a, int axis, const Slice& slice) {
  std::vector<Index> part(axis, Slice());
  part.push_back(slice);
  return basic_index(a, part);
}

void check_ndim(const Array& a, int min, std::string_view operation) {
  if (a.ndim() < min) {
    raise<ShapeError>(operation, ": expected an array with at least ", min,
                      " axes, got shape ", a.shape());
  }
}

Array roll_along(const Array& a, int64_t shift, int axis) {
  const int64_t extent = a.shape()[axis];
  const Array result = empty_like(a);
  if (a.size() == 0) return result;
  const int64_t moved = (shift % extent + extent) % extent;
  if (moved == 0) return a.copy();
  slice_along(result, axis, Slice(moved, std::nullopt))
      .assign(slice_along(a, axis, Slice(0, extent - moved)));
  slice_along(result, axis, Slice(0, moved))
      .assign(slice_along(a, axis, Slice(extent - moved, std::nullopt)));
  return result;
}

}  // namespace

Array flip(const Array& a, const AxisSetOption& options) {
  Array result = a;
  for (const int64_t i : options.axis.normalized(a.ndim(), "flip")) {
    result = slice_along(result, static_cast<int>(i),
                         Slice(std::nullopt, std::nullopt, -1));
  }
  return result;
}

Array fliplr(const Array& a) {
  check_ndim(a, 2, "fliplr");
  return flip(a, 1);
}

Array flipud(const Array& a) {
  check_ndim(a, 1, "flipud");
  return flip(a, 0);
}

Array rot90(const Array& a, int64_t k, const Axes& axes) {
  if (axes.size() != 2) {
    raise<ValueError>("rot90: expected two axes, got ", axes);
  }
  normalize_axes(axes, a.ndim(), "rot90");
  switch ((k % 4 + 4) % 4) {
    case 0:
      return a;
    case 1:
      return swapaxes(flip(a, axes[1]), axes[0], axes[1]);
    case 2:
      return flip(a, axes);
    default:
      return flip(swapaxes(a, axes[0], axes[1]), axes[1]);
  }
}

Array roll(const Array& a, const Shape& shifts, const AxisSetOption& options) {
  if (options.axis.is_all()) {
    if (shifts.size() != 1) {
      raise<ValueError>("roll: expected one shift without an axis, got ",
                        shifts);
    }
    return roll_along(a.ravel(), shifts[0], 0).reshape(a.shape());
  }
  const Axes& axes = *options.axis.axes();
  if (shifts.size() != 1 && shifts.size() != axes.size()) {
    raise<ValueError>("roll: expected one shift or one for each axis of ", axes,
                      ", got ", shifts);
  }
  Shape totals = Shape::filled(a.ndim(), 0);
  for (int i = 0; i < axes.size(); ++i) {
    const int k = normalize_axis(axes[i], a.ndim(), "roll");
    if (a.shape()[k] == 0) continue;
    totals[k] += shifts[shifts.size() == 1 ? 0 : i] % a.shape()[k];
  }
  Array result = a;
  for (int k = 0; k < a.ndim(); ++k) {
    if (totals[k] != 0) result = roll_along(result, totals[k], k);
  }
  return result.is_same(a) ? a.copy() : result;
}

}  // namespace catena::array
