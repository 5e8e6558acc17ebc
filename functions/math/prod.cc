#include "catena/functions/math/prod.h"

#include "catena/array/reduction/reduce.h"
#include "catena/functions/array/flip.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/cumprod.h"
#include "catena/functions/math/internal/reduced_axis.h"
#include "catena/functions/math/internal/reduction_node.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

class Prod final : public FunctionNode {
 public:
  explicit Prod(const ProdOptions& options) : options_(options) {}

  std::string_view label() const override { return "prod"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Prod>(
        {{"axis", options_.axis}, {"keepdims", options_.keepdims}});
  }

  void check_type_forward(TypeCheck& in) const override {
    check_reduction_types(in, options_.axis);
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    return {array::prod(in[0], {.axis = axes_of(in[0].shape()),
                                .keepdims = options_.keepdims})};
  }

  // Each element's gradient is the product of the elements before it and after
  // it, which avoids a division.
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    const ReducedAxis reduced(x.shape(), axes_of(x.shape()));
    const Variable folded = reduced.fold(x);
    const int axis = ReducedAxis::kAxis;
    const Variable others =
        exclusive_cumprod(folded, axis) *
        flip(exclusive_cumprod(flip(folded, axis), axis), axis);
    return {reduced.unfold(others * reshape(gy[0], reduced.kept_shape()))};
  }

 private:
  Axes axes_of(const Shape& shape) const {
    return options_.axis.normalized(shape.ndim(), "prod");
  }

  ProdOptions options_;
};

}  // namespace

Variable prod(const Variable& x, const ProdOptions& options) {
  return apply<Prod>({x}, options);
}

}  // namespace catena::functions
