#include "catena/array/concatenate.h"

#include <vector>

#include "catena/array/assign_all.h"
#include "catena/array/core/error.h"
#include "catena/array/image_order.h"
#include "catena/array/index.h"

namespace catena::array {
namespace {

void check_any(std::span<const Array> arrays, std::string_view operation) {
  if (arrays.empty()) {
    raise<ValueError>(operation, ": expected at least one array, got none");
  }
}

// The common properties of the arrays.
struct Joined {
  Dtype dtype;
  Device device;
  Shape shape;
};

Joined join(std::span<const Array> arrays, int axis,
            std::string_view operation) {
  const Array& first = arrays[0];
  Joined joined{first.dtype(), first.device(), first.shape()};
  for (const Array& a : arrays.subspan(1)) {
    Shape expected = joined.shape;
    if (a.ndim() == expected.ndim()) expected[axis] = a.shape()[axis];
    if (a.shape() != expected) {
      raise<ShapeError>(operation, ": expected shapes that differ in axis ",
                        axis, " only, got ", first.shape(), " and ", a.shape());
    }
    if (a.device() != joined.device) {
      raise<DeviceError>(operation, ": expected arrays on one device, got ",
                         joined.device, " and ", a.device());
    }
    joined.dtype = promote(joined.dtype, a.dtype());
    if (__builtin_add_overflow(joined.shape[axis], a.shape()[axis],
                               &joined.shape[axis])) {
      raise<ShapeError>(operation, ": the extents of axis ", axis,
                        " have a sum that overflows int64");
    }
  }
  return joined;
}

Array join_along(std::span<const Array> arrays, int axis,
                 std::string_view operation) {
  const Joined joined = join(arrays, axis, operation);
  Array result = empty_in_order_of(arrays[0], joined.shape, joined.dtype);
  std::vector<Index> part(axis + 1, Slice());
  std::vector<Assignment> assignments;
  assignments.reserve(arrays.size());
  int64_t begin = 0;
  for (const Array& a : arrays) {
    const int64_t end = begin + a.shape()[axis];
    part[axis] = Slice(begin, end);
    assignments.push_back({.to = basic_index(result, part), .from = a});
    begin = end;
  }
  assign_all(assignments);
  return result;
}

}  // namespace

Array concatenate(std::span<const Array> arrays,
                  const OptionalAxisOption& options) {
  check_any(arrays, "concatenate");
  if (!options.axis) {
    std::vector<Array> flat;
    for (const Array& a : arrays) flat.push_back(a.ravel());
    return join_along(flat, 0, "concatenate");
  }
  const int position =
      normalize_axis(*options.axis, arrays[0].ndim(), "concatenate");
  return join_along(arrays, position, "concatenate");
}

Array stack(std::span<const Array> arrays, const AxisOption& options) {
  check_any(arrays, "stack");
  const Shape& shape = arrays[0].shape();
  const int position = normalize_axis(options.axis, shape.ndim() + 1, "stack");
  std::vector<Array> expanded;
  for (const Array& a : arrays) {
    if (a.shape() != shape) {
      raise<ShapeError>("stack: expected arrays of one shape, got ", shape,
                        " and ", a.shape());
    }
    expanded.push_back(a.expand_dims(position));
  }
  return join_along(expanded, position, "stack");
}

}  // namespace catena::array
