#include "catena/functions/array/as_strided.h"

#include "catena/array/creation.h"
#include "catena/array/take.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

// The view of an array's elements in C order.
Array strided_view(const Array& x, const Shape& shape, const Strides& strides,
                   int64_t first) {
  const Array source = x.contiguous();
  Strides bytes = strides;
  for (int64_t& stride : bytes) stride *= x.itemsize();
  const int64_t begin =
      source.raw_data() - static_cast<char*>(source.storage()->data());
  return Array(source.storage(), x.dtype(), shape, bytes,
               begin + first * x.itemsize());
}

struct AsStrided {
  static constexpr std::string_view kLabel = "as_strided";
  using Kind = kinds::AsStrided;
  Shape shape;
  Strides strides;
  int64_t first;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("shape", shape);
    visit("strides", strides);
    visit("storage_offset", first);
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const {
    return strided_view(x, shape, strides, first);
  }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    const int64_t size = size_of(x.shape);
    const Array gx = array::zeros({size}, x.dtype, x.device);
    const Array sources = strided_view(
        array::arange(size, Dtype::kInt64, x.device), shape, strides, first);
    array::scatter_add(gx, sources, 0, gy, {.mode = array::IndexMode::kClip});
    return gx.reshape(x.shape);
  }
};

// Throws ValueError unless every element is in [0, size).
void check_reach(const Variable& x, const AsStrided& view) {
  if (view.shape.ndim() != view.strides.size()) {
    raise<ValueError>("as_strided: expected a stride for each axis, got shape ",
                      view.shape, " and strides ", view.strides);
  }
  if (checked_size(view.shape, x.data().itemsize(), view.kLabel) == 0) return;
  int64_t min = view.first;
  int64_t max = view.first;
  for (int i = 0; i < view.shape.ndim(); ++i) {
    int64_t reach;
    if (__builtin_mul_overflow(view.shape[i] - 1, view.strides[i], &reach) ||
        __builtin_add_overflow(reach < 0 ? min : max, reach,
                               reach < 0 ? &min : &max)) {
      raise<ValueError>("as_strided: expected strides within x, got ",
                        view.strides);
    }
  }
  if (min < 0 || max >= x.size()) {
    raise<ValueError>("as_strided: expected elements 0 to ", x.size() - 1,
                      " of x ", x.shape(), ", got ", min, " to ", max);
  }
}

}  // namespace

Variable as_strided(const Variable& x, const Shape& shape,
                    const Strides& strides, const AsStridedOptions& options) {
  const AsStrided view{shape, strides, options.storage_offset};
  check_reach(x, view);
  return apply_linear(x, view);
}

}  // namespace catena::functions
