#include "catena/functions/array/rollaxis.h"

#include "catena/array/manipulation/axes.h"
#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Rollaxis {
  static constexpr std::string_view kLabel = "rollaxis";
  using Kind = kinds::Rollaxis;
  int64_t axis;
  int64_t start;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("axis", axis);
    visit("start", start);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    expect_axis(in, x, axis);
    // -1 means the last axis, not the end itself.
    if (start >= 0) {
      in.expect(x.ndim() >= type_check::make_variable(start, "start"));
    } else {
      expect_axis(in, x, start);
    }
  }
  Array map(const Array& x) const { return array::rollaxis(x, axis, start); }
  Array transposed(const Array& gy, const ArrayForm&) const {
    const int from = normalize_axis(axis, gy.ndim(), kLabel);
    const int64_t before = start < 0 ? start + gy.ndim() : start;
    // The axis' new position: one less if it moved away from before `start`.
    const int64_t to = from < before ? before - 1 : before;
    return array::moveaxis(gy, to, from);
  }
};

}  // namespace

Variable rollaxis(const Variable& x, int64_t axis, int64_t start) {
  return apply_linear(x, Rollaxis{axis, start});
}

}  // namespace catena::functions
