#include "catena/functions/math/batch_l2_norm_squared.h"

#include "catena/autograd/function_node.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/internal/row_ops.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

class BatchL2NormSquared final : public FunctionNode {
 public:
  std::string_view label() const override { return "batch_l2_norm_squared"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::BatchL2NormSquared>();
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    in.expect(x.ndim() >= 1);
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    const int64_t samples = in[0].len();
    const int64_t length = samples == 0 ? 0 : in[0].size() / samples;
    const Array rows = in[0].reshape({samples, length});
    const Array y = array::empty({samples}, rows.dtype(), rows.device());
    visit_rows(SquaredNormOp{y.raw_data()}, 1, {&rows});
    return {y};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    Shape shape = Shape::filled(x.ndim(), 1);
    shape[0] = gy[0].size();
    return {x * reshape(gy[0] * 2, shape)};
  }
};

}  // namespace

Variable batch_l2_norm_squared(const Variable& x) {
  return apply<BatchL2NormSquared>({x});
}

}  // namespace catena::functions
