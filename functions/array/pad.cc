#include "catena/functions/array/pad.h"

#include "absl/container/inlined_vector.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/take.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Pad {
  static constexpr std::string_view kLabel = "pad";
  using Kind = kinds::Pad;
  std::vector<array::PadWidth> widths;
  array::PadOptions options;

  template <class Visit>
  void visit_options(Visit visit) const {
    std::vector<int64_t> width;  // before and after each axis, or all
    for (const auto& [before, after] : widths) {
      width.insert(width.end(), {before, after});
    }
    visit("pad_width", width);
    constexpr std::string_view kModes[] = {"constant", "edge", "reflect",
                                           "symmetric", "wrap"};
    visit("mode", kModes[static_cast<int>(options.mode)]);
    if (options.constant_values.size() == 1) {
      visit("constant_values", options.constant_values[0].before);
    }
  }
  void drop_constant() { options.constant_values = {array::PadValue()}; }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const { return array::pad(x, widths, options); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    Array gx = gy;
    for (int axis = 0; axis < x.shape.ndim(); ++axis) {
      const array::PadWidth& width =
          widths.size() == 1 ? widths[0] : widths[axis];
      if (width.before == 0 && width.after == 0) continue;
      gx = options.mode == array::PadMode::kConstant
               ? crop(gx, axis, width.before, x.shape[axis])
               : fold(gx, axis, width, x.shape[axis]);
    }
    return gx;
  }

 private:
  static Array crop(const Array& gy, int axis, int64_t before, int64_t extent) {
    absl::InlinedVector<Index, 4> indexes(axis, Slice());
    indexes.push_back(Slice(before, before + extent));
    return array::basic_index(gy, indexes);
  }

  // Adds the gradients of padding copied from an element to that element's.
  Array fold(const Array& gy, int axis, const array::PadWidth& width,
             int64_t extent) const {
    const Array sources =
        array::pad(array::arange(extent, Dtype::kInt64, gy.device()), {width},
                   {.mode = options.mode});
    Shape shape = gy.shape();
    shape[axis] = extent;
    const Array gx = array::zeros(shape, gy.dtype(), gy.device());
    array::scatter_add(gx, sources, axis, gy,
                       {.mode = array::IndexMode::kClip});
    return gx;
  }
};

}  // namespace

Variable pad(const Variable& x, const std::vector<array::PadWidth>& pad_width,
             const array::PadOptions& options) {
  return apply_linear(x, Pad{pad_width, options});
}

Variable pad(const Variable& x, int64_t width,
             const array::PadOptions& options) {
  return pad(x, {array::PadWidth{width, width}}, options);
}

}  // namespace catena::functions
