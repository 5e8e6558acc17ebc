#include "catena/functions/array/cast.h"

#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Cast {
  static constexpr std::string_view kLabel = "cast";
  using Kind = kinds::Cast;
  Dtype dtype;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("typ", dtype);
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const { return x.astype(dtype); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    return gy.astype(x.dtype);
  }
};

}  // namespace

Variable cast(const Variable& x, Dtype typ) {
  if (x.dtype() == typ) return x;
  if (!is_floating(x.dtype()) || !is_floating(typ)) {
    return as_variable(x.data().astype(typ));
  }
  return apply_linear(x, Cast{typ});
}

}  // namespace catena::functions
