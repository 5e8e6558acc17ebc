#include "catena/functions/array/flip.h"

#include "catena/array/manipulation/flip.h"
#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Flip {
  static constexpr std::string_view kLabel = "flip";
  using Kind = kinds::Flip;
  int64_t axis;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("axis", axis);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    expect_axis(in, x, axis);
  }
  Array map(const Array& x) const { return array::flip(x, axis); }
  Array transposed(const Array& gy, const ArrayForm&) const { return map(gy); }
};
struct Fliplr : Flip {
  static constexpr std::string_view kLabel = "fliplr";
};
struct Flipud : Flip {
  static constexpr std::string_view kLabel = "flipud";
};

}  // namespace

Variable flip(const Variable& x, const AxisOption& options) {
  return apply_linear(x, Flip{options.axis});
}
Variable fliplr(const Variable& a) { return apply_linear(a, Fliplr{{1}}); }
Variable flipud(const Variable& a) { return apply_linear(a, Flipud{{0}}); }

}  // namespace catena::functions
