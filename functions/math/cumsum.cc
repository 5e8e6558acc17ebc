#include "catena/functions/math/cumsum.h"

#include "catena/array/manipulation/flip.h"
#include "catena/array/statistics/cumulative.h"
#include "catena/functions/array/flatten.h"
#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Cumsum {
  static constexpr std::string_view kLabel = "cumsum";
  using Kind = kinds::Cumsum;
  int64_t axis;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("axis", axis);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    in.expect_floating(x);
    expect_axis(in, x, axis);
  }
  Array map(const Array& x) const { return array::cumsum(x, axis); }
  Array transposed(const Array& gy, const ArrayForm&) const {
    return array::flip(map(array::flip(gy, axis)), axis);
  }
};

}  // namespace

Variable cumsum(const Variable& x, const OptionalAxisOption& options) {
  if (!options.axis.has_value()) return apply_linear(flatten(x), Cumsum{0});
  return apply_linear(x, Cumsum{*options.axis});
}

}  // namespace catena::functions
