#include "catena/functions/array/select_item.h"

#include "catena/array/creation.h"
#include "catena/array/indexing/along_axis.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct SelectItem {
  static constexpr std::string_view kLabel = "select_item";
  using Kind = kinds::SelectItem;
  Array columns;  // (N, 1)

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("t", columns);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    in.expect(x.ndim() == 2,
              x.shape(0) ==
                  type_check::make_variable(columns.shape()[0], "t.shape[0]"));
  }
  Array map(const Array& x) const {
    return array::take_along_axis(x, columns, 1).reshape({x.shape()[0]});
  }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    const Array gx = array::zeros(x.shape, x.dtype, x.device);
    array::put_along_axis(gx, columns, gy.expand_dims(1), 1);
    return gx;
  }
};

}  // namespace

Variable select_item(const Variable& x, const Array& t) {
  if (t.ndim() != 1 || !is_integral(t.dtype())) {
    raise<InvalidType>("select_item: expected integers t (N,), got ", t.dtype(),
                       " ", t.shape());
  }
  return apply_linear(x, SelectItem{t.expand_dims(1)});
}

}  // namespace catena::functions
