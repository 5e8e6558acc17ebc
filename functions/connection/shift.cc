#include "catena/functions/connection/shift.h"

#include <algorithm>
#include <cstdlib>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

using type_check::Term;

// The overlap of an axis of y, shifted by `offset`, with x's axis: y's part and
// x's part.
struct Overlap {
  Overlap(int64_t size, int64_t offset) {
    const int64_t length = std::max<int64_t>(0, size - std::abs(offset));
    const int64_t begin = std::clamp<int64_t>(-offset, 0, size - length);
    y = Slice(begin, begin + length);
    const int64_t source = std::clamp<int64_t>(offset, 0, size - length);
    x = Slice(source, source + length);
  }

  Slice y;
  Slice x;
};

struct Shift {
  static constexpr std::string_view kLabel = "shift";
  using Kind = kinds::Shift;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("ksize", ksize);
    visit("dilate", step);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    in.expect_floating(x);
    in.expect(x.ndim() == Term(4));
    in.expect(x.shape(1) >= Term(size_of(ksize)));
  }

  Array map(const Array& x) const {
    const Array y = array::zeros(x.shape(), x.dtype(), x.device());
    const int64_t groups = size_of(ksize);
    const int64_t group_size = x.shape()[1] / groups;
    const int64_t middle = (groups - 1) / 2;
    for (int64_t group = 0; group < groups; ++group) {
      int64_t element = group;
      if (group == middle) element = groups - 1;
      if (group == groups - 1) element = middle;
      const Overlap rows(x.shape()[2], offset(0, element / ksize[1]));
      const Overlap columns(x.shape()[3], offset(1, element % ksize[1]));
      const Slice channels(group * group_size, group == groups - 1
                                                   ? x.shape()[1]
                                                   : (group + 1) * group_size);
      y[{Slice(), channels, rows.y, columns.y}].assign(
          x[{Slice(), channels, rows.x, columns.x}]);
    }
    return y;
  }

  // Shifts back.
  Array transposed(const Array& gy, const ArrayForm&) const {
    return Shift{ksize, {-step[0], -step[1]}}.map(gy);
  }

  int64_t offset(int axis, int64_t element) const {
    return (ksize[axis] / 2 - element) * step[axis];
  }

  Shape ksize;
  Shape step;
};

}  // namespace

Variable shift(const Variable& x, const ShiftOptions& options) {
  return apply_linear(x,
                      Shift{options.ksize.on_axes(2, 1, "shift", "ksize"),
                            options.dilate.on_axes(2, 1, "shift", "dilate")});
}

}  // namespace catena::functions
