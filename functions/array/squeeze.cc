#include "catena/functions/array/squeeze.h"

#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Squeeze {
  static constexpr std::string_view kLabel = "squeeze";
  using Kind = kinds::Squeeze;
  AxisSet axis;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("axis", axis);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    expect_axes(in, x, axis);
    if (axis.is_all()) return;
    for (const int64_t a : *axis.axes()) {
      in.expect(x.shape(static_cast<int>(a)) == 1);
    }
  }
  Array map(const Array& x) const { return x.squeeze(axis); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    return gy.reshape(x.shape);
  }
};

}  // namespace

Variable squeeze(const Variable& x, const AxisSetOption& options) {
  return apply_linear(x, Squeeze{options.axis});
}

}  // namespace catena::functions
