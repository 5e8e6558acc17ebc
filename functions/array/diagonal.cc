#include "catena/functions/array/diagonal.h"

#include "catena/array/creation.h"
#include "catena/array/manipulation/diagonal.h"
#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Diagonal : DiagonalOptions {
  static constexpr std::string_view kLabel = "diagonal";
  using Kind = kinds::Diagonal;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("offset", offset);
    visit("axis1", axis1);
    visit("axis2", axis2);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    in.expect(x.ndim() >= 2);
    expect_axis(in, x, axis1);
    expect_axis(in, x, axis2);
  }
  Array map(const Array& x) const {
    return array::diagonal(x, offset, axis1, axis2);
  }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    const Array gx = array::zeros(x.shape, x.dtype, x.device);
    map(gx).assign(gy);
    return gx;
  }
};

}  // namespace

Variable diagonal(const Variable& x, const DiagonalOptions& options) {
  return apply_linear(x, Diagonal{options});
}

}  // namespace catena::functions
