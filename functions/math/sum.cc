#include "catena/functions/math/sum.h"

#include "catena/array/reduction/reduce.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/internal/reduction_node.h"

namespace catena::functions {
namespace {

class Sum final : public FunctionNode {
 public:
  explicit Sum(const SumOptions& options) : options_(options) {}

  std::string_view label() const override { return "sum"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Sum>(
        {{"axis", options_.axis}, {"keepdims", options_.keepdims}});
  }

  void check_type_forward(TypeCheck& in) const override {
    check_reduction_types(in, options_.axis);
  }

  Arrays forward(const Arrays& in) override {
    return {array::sum(in[0], {.axis = axes_of(in[0].shape()),
                               .keepdims = options_.keepdims})};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Shape& shape = inputs()[0]->shape();
    return {repeat_over_axes(gy[0], shape, axes_of(shape))};
  }

 private:
  Axes axes_of(const Shape& shape) const {
    return options_.axis.normalized(shape.ndim(), "sum");
  }

  SumOptions options_;
};

}  // namespace

Variable sum(const Variable& x, const SumOptions& options) {
  return apply<Sum>({x}, options);
}

}  // namespace catena::functions
