#include "catena/array/manipulation/pad.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/take.h"

namespace catena::array {
namespace {

// The index in [0, extent) of the element padded at `position`, relative to the
// first element; may be negative.
int64_t source_of(int64_t position, int64_t extent, PadMode mode) {
  const auto modulo = [](int64_t a, int64_t b) { return (a % b + b) % b; };
  switch (mode) {
    case PadMode::kReflect: {
      if (extent == 1) return 0;
      const int64_t period = 2 * (extent - 1);
      const int64_t at = modulo(position, period);
      return std::min(at, period - at);
    }
    case PadMode::kSymmetric: {
      const int64_t at = modulo(position, 2 * extent);
      return std::min(at, 2 * extent - 1 - at);
    }
    case PadMode::kWrap:
      return modulo(position, extent);
    default:
      return std::clamp<int64_t>(position, 0, extent - 1);
  }
}

template <class T>
void check_count(const std::vector<T>& given, const Array& a,
                 std::string_view what) {
  const int64_t count = static_cast<int64_t>(given.size());
  if (count != 1 && count != a.ndim()) {
    raise<ValueError>("pad: expected one or ", a.ndim(), " ", what,
                      " for shape ", a.shape(), ", got ", count);
  }
}

template <class T>
const T& of_axis(const std::vector<T>& given, int axis) {
  return given[given.size() == 1 ? 0 : axis];
}

// A range of `a` along one axis.
Array range_of(const Array& a, int axis, int64_t begin, int64_t end) {
  std::vector<Index> part(axis, Slice());
  part.push_back(Slice(begin, end));
  return basic_index(a, part);
}

Array pad_constant(const Array& a, const std::vector<PadWidth>& widths,
                   const Shape& shape, const PadOptions& options) {
  // Cast first, as by astype, so that a value that does not fit is not an
  // error.
  const auto cast = [&](Scalar value) {
    return full({}, value, std::nullopt, a.device()).astype(a.dtype());
  };
  const Array result = empty(shape, a.dtype(), a.device());
  Array inside = result;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    const PadWidth& width = of_axis(widths, axis);
    inside =
        range_of(inside, axis, width.before, width.before + a.shape()[axis]);
  }
  inside.assign(a);
  for (int axis = 0; axis < a.ndim(); ++axis) {
    const PadWidth& width = of_axis(widths, axis);
    const PadValue& value = of_axis(options.constant_values, axis);
    range_of(result, axis, 0, width.before).assign(cast(value.before));
    range_of(result, axis, shape[axis] - width.after, shape[axis])
        .assign(cast(value.after));
  }
  return result;
}

}  // namespace

Array pad(const Array& a, int64_t width, const PadOptions& options) {
  return pad(a, {PadWidth{width, width}}, options);
}

Array pad(const Array& a, const std::vector<PadWidth>& widths,
          const PadOptions& options) {
  check_count(widths, a, "widths");
  check_count(options.constant_values, a, "constants");
  Shape shape = a.shape();
  for (int axis = 0; axis < a.ndim(); ++axis) {
    const auto& [before, after] = of_axis(widths, axis);
    if (before < 0 || after < 0) {
      raise<ValueError>("pad: expected widths of at least 0 for axis ", axis,
                        ", got (", before, ", ", after, ")");
    }
    if (options.mode != PadMode::kConstant && shape[axis] == 0 &&
        (before > 0 || after > 0)) {
      raise<ValueError>("pad: expected at least one element along axis ", axis,
                        " of shape ", a.shape());
    }
    if (__builtin_add_overflow(shape[axis], before, &shape[axis]) ||
        __builtin_add_overflow(shape[axis], after, &shape[axis])) {
      raise<ShapeError>("pad: axis ", axis, " of shape ", a.shape(),
                        " is too large for widths (", before, ", ", after, ")");
    }
  }
  checked_size(shape, a.itemsize(), "pad");
  if (options.mode == PadMode::kConstant) {
    return pad_constant(a, widths, shape, options);
  }
  Array result = a;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    const auto& [before, after] = of_axis(widths, axis);
    if (before + after == 0) continue;
    const int64_t extent = a.shape()[axis];
    const Array sources = empty({shape[axis]}, Dtype::kInt64, native_device());
    int64_t* source = sources.data<int64_t>();
    for (int64_t i = -before; i < extent + after; ++i) {
      *source++ = source_of(i, extent, options.mode);
    }
    result = take(result, sources.to_device(a.device()), axis);
  }
  return result.is_same(a) ? a.copy() : result;
}

}  // namespace catena::array
