#include "catena/functions/connection/bilinear.h"

#include "catena/array/core/error.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

// Flattens all axes after the first.
Variable as_matrix(const Variable& x) {
  if (x.ndim() < 2) return x;
  int64_t width = 1;
  for (int axis = 1; axis < x.ndim(); ++axis) width *= x.shape()[axis];
  return reshape(x, {x.shape()[0], width});
}

void check_types(const Variable& e1, const Variable& e2, const Variable& W) {
  const VariableRef inputs[] = {e1, e2, W};
  TypeCheck in("bilinear", inputs);
  const auto [a, b, w] = in.names<3>({"e1", "e2", "W"});
  in.expect_floating(a);
  in.expect(b.dtype() == a.dtype(), w.dtype() == a.dtype(),
            a.ndim() == type_check::Term(2), b.ndim() == type_check::Term(2),
            w.ndim() == type_check::Term(3));
  in.expect(a.shape(0) == b.shape(0), a.shape(1) == w.shape(0),
            b.shape(1) == w.shape(1));
}

void check_linear_types(const Variable& W, const Variable& V1,
                        const Variable& V2, const Variable& b) {
  const VariableRef inputs[] = {W, V1, V2, b};
  TypeCheck in("bilinear", inputs);
  const auto [w, v1, v2, bias] = in.names<4>({"W", "V1", "V2", "b"});
  in.expect(v1.dtype() == w.dtype(), v2.dtype() == w.dtype(),
            bias.dtype() == w.dtype(), v1.ndim() == type_check::Term(2),
            v2.ndim() == type_check::Term(2),
            bias.ndim() == type_check::Term(1));
  in.expect(v1.shape(0) == w.shape(0), v1.shape(1) == w.shape(2),
            v2.shape(0) == w.shape(1), v2.shape(1) == w.shape(2),
            bias.shape(0) == w.shape(2));
}

}  // namespace

Variable bilinear(const Variable& e1, const Variable& e2, const Variable& W,
                  const Variable& V1, const Variable& V2, const Variable& b) {
  const int linear_parts = static_cast<int>(V1.defined()) +
                           static_cast<int>(V2.defined()) +
                           static_cast<int>(b.defined());
  if (linear_parts != 0 && linear_parts != 3) {
    raise<ValueError>(
        "bilinear: expected V1, V2 and b together or not at all, got ",
        linear_parts, " of them");
  }
  const Variable left = as_matrix(e1);
  const Variable right = as_matrix(e2);
  if (config().type_check) {
    check_types(left, right, W);
    if (linear_parts == 3) check_linear_types(W, V1, V2, b);
  }
  const int64_t I = left.shape()[0];
  const int64_t J = W.shape()[0];
  const int64_t K = W.shape()[1];
  // The products of all pairs form a row, so that a single matrix product
  // remains.
  const Variable pairs = reshape(left, {I, J, 1}) * reshape(right, {I, 1, K});
  const Variable y =
      matmul(reshape(pairs, {I, J * K}), reshape(W, {J * K, W.shape()[2]}));
  if (linear_parts == 0) return y;
  return y + matmul(left, V1) + matmul(right, V2) + b;
}

}  // namespace catena::functions
