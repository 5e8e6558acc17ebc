#include "catena/functions/math/internal/aligned.h"

#include <algorithm>
#include <string>

#include "catena/array/core/error.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/array/reshape.h"

namespace catena::functions {

Variable aligned(std::string_view function, const Variable& x,
                 const NamedVariable& y, int64_t axis) {
  const VariableRef inputs[] = {x, y.variable};
  TypeCheck in(function, inputs);
  const std::string_view names[] = {"x", y.name};
  in.set_names(names);
  in.expect_same_dtype();
  const Shape& shape = y.variable.shape();
  const int64_t ndim = x.ndim();
  const int64_t own = y.variable.ndim();
  const int64_t end = axis + own;
  if (axis < 0 || end > ndim ||
      !std::equal(shape.begin(), shape.end(), x.shape().begin() + axis)) {
    const std::string part = str("x.shape[", axis, ":", end, "]");
    in.fail(str(part, " == ", y.name, ".shape"),
            str(x.shape(), " and ", shape));
  }
  if (own == 0 || end == ndim) return y.variable;
  Shape aligned_shape = shape;
  for (int64_t d = end; d < ndim; ++d) aligned_shape.push_back(1);
  return reshape(y.variable, aligned_shape);
}

}  // namespace catena::functions
