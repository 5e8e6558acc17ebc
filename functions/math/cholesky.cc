#include "catena/functions/math/cholesky.h"

#include "catena/array/creation.h"
#include "catena/array/linalg/decomposition.h"
#include "catena/array/manipulation/diagonal.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/internal/inverse.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

class Cholesky final : public FunctionNode {
 public:
  std::string_view label() const override { return "cholesky"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Cholesky>();
  }

  void check_type_forward(TypeCheck& in) const override {
    expect_matrices(in, 2);
  }

  Arrays forward(const Arrays& in) override {
    retain_output(0);
    return {array::linalg::cholesky(in[0])};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable L = retained_output(0);
    const int64_t n = L.shape()[0];
    const array::TriOptions like{.dtype = L.dtype(), .device = L.device()};
    const Array half_below =
        array::tri(n, n, like) -
        0.5 * array::eye(n, n, {.dtype = L.dtype(), .device = L.device()});
    const Variable P =
        matmul(L, gy[0], {.transa = true}) * as_variable(half_below);
    const Variable L_inverse = inverse(label(), L, 2);
    const Variable X =
        matmul(matmul(L_inverse, P, {.transa = true}), L_inverse) * 0.5;
    return {X + transpose(X)};
  }
};

}  // namespace

Variable cholesky(const Variable& a) { return apply<Cholesky>({a}); }

}  // namespace catena::functions
