#include "catena/array/manipulation/repeat.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/take.h"

namespace catena::array {
namespace {

void check_repeats(int64_t repeats, std::string_view operation) {
  if (repeats < 0) {
    raise<ValueError>(operation, ": expected repeats of at least 0, got ",
                      repeats);
  }
}

// The shape with one extent multiplied. Throws ShapeError on overflow.
Shape grown(Shape shape, int axis, int64_t repeats, int64_t item_size,
            std::string_view operation) {
  if (__builtin_mul_overflow(shape[axis], repeats, &shape[axis])) {
    raise<ShapeError>(operation, ": extent ", shape[axis], " of axis ", axis,
                      " is too large for ", repeats, " repeats");
  }
  checked_size(shape, item_size, operation);
  return shape;
}

int64_t product(const Shape& shape, int begin, int end) {
  int64_t result = 1;
  for (int i = begin; i < end; ++i) result *= shape[i];
  return result;
}

// Copies blocks of `inner` elements, each `repeats` times in a row.
Array repeat_blocks(const Array& a, int64_t inner, int64_t repeats,
                    const Shape& shape) {
  const Array result = empty(shape, a.dtype(), a.device());
  if (result.size() == 0) return result;
  const int64_t outer = a.size() / inner;
  result.reshape({outer, repeats, inner}).assign(a.reshape({outer, 1, inner}));
  return result;
}

}  // namespace

Array repeat(const Array& a, int64_t repeats,
             const OptionalAxisOption& options) {
  check_repeats(repeats, "repeat");
  const Array source = options.axis ? a : a.ravel();
  const int position =
      normalize_axis(options.axis.value_or(Axis(0)), source.ndim(), "repeat");
  const Shape shape =
      grown(source.shape(), position, repeats, a.itemsize(), "repeat");
  return repeat_blocks(source,
                       product(source.shape(), position + 1, source.ndim()),
                       repeats, shape);
}

Array repeat(const Array& a, std::span<const int64_t> repeats,
             const OptionalAxisOption& options) {
  if (repeats.size() == 1) return repeat(a, repeats[0], options);
  const Array source = options.axis ? a : a.ravel();
  const int position =
      normalize_axis(options.axis.value_or(Axis(0)), source.ndim(), "repeat");
  const int64_t extent = source.shape()[position];
  if (static_cast<int64_t>(repeats.size()) != extent) {
    raise<ValueError>("repeat: expected one number or ", extent,
                      " repeats for axis ", position, ", got ",
                      static_cast<int64_t>(repeats.size()));
  }
  int64_t total = 0;
  for (const int64_t count : repeats) {
    check_repeats(count, "repeat");
    if (__builtin_add_overflow(total, count, &total)) {
      raise<ShapeError>("repeat: the sum of the repeats overflows int64");
    }
  }
  Shape shape = source.shape();
  shape[position] = total;
  checked_size(shape, a.itemsize(), "repeat");
  const Array indices = empty({total}, Dtype::kInt64, native_device());
  int64_t* index = indices.data<int64_t>();
  for (int64_t i = 0; i < extent; ++i) {
    index = std::fill_n(index, repeats[i], i);
  }
  return take(source, indices.to_device(a.device()), position);
}

Array tile(const Array& a, const Shape& reps) {
  for (const int64_t count : reps) check_repeats(count, "tile");
  const int ndim = std::max(a.ndim(), reps.ndim());
  Shape shape = a.shape();
  Shape counts = reps;
  while (shape.ndim() < ndim) shape.insert(0, 1);
  while (counts.ndim() < ndim) counts.insert(0, 1);
  // Last axis first, so that the repeated blocks are already final.
  Array result = a.reshape(shape);
  for (int axis = ndim - 1; axis >= 0; --axis) {
    if (counts[axis] == 1) continue;
    const Shape larger =
        grown(result.shape(), axis, counts[axis], a.itemsize(), "tile");
    result = repeat_blocks(result, product(result.shape(), axis, ndim),
                           counts[axis], larger);
  }
  return result.storage() == a.storage() ? result.copy() : result;
}

}  // namespace catena::array

namespace catena {

Array Array::repeat(int64_t repeats, const OptionalAxisOption& options) const {
  return array::repeat(*this, repeats, options);
}

}  // namespace catena
