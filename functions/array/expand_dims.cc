#include "catena/functions/array/expand_dims.h"

#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct ExpandDims {
  static constexpr std::string_view kLabel = "expand_dims";
  using Kind = kinds::ExpandDims;
  int64_t axis;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("axis", axis);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    expect_new_axis(in, x, axis);
  }
  Array map(const Array& x) const { return x.expand_dims(axis); }
  Array transposed(const Array& gy, const ArrayForm&) const {
    return gy.squeeze(axis);
  }
};

}  // namespace

Variable expand_dims(const Variable& x, const AxisOption& options) {
  return apply_linear(x, ExpandDims{options.axis});
}

}  // namespace catena::functions
