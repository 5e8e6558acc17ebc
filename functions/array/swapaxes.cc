#include "catena/functions/array/swapaxes.h"

#include "catena/array/manipulation/axes.h"
#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Swapaxes {
  static constexpr std::string_view kLabel = "swapaxes";
  using Kind = kinds::Swapaxes;
  int64_t axis1;
  int64_t axis2;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("axis1", axis1);
    visit("axis2", axis2);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    expect_axis(in, x, axis1);
    expect_axis(in, x, axis2);
  }
  Array map(const Array& x) const { return array::swapaxes(x, axis1, axis2); }
  Array transposed(const Array& gy, const ArrayForm&) const { return map(gy); }
};

}  // namespace

Variable swapaxes(const Variable& x, int64_t axis1, int64_t axis2) {
  return apply_linear(x, Swapaxes{axis1, axis2});
}

}  // namespace catena::functions
