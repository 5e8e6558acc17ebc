#include "catena/functions/math/average.h"

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/functions/array/broadcast_to.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/internal/reduction_node.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

class Mean final : public FunctionNode {
 public:
  Mean(const AxisSet& axis, bool keepdims) : axis_(axis), keepdims_(keepdims) {}

  std::string_view label() const override { return "average"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Average>(
        {{"axis", axis_}, {"keepdims", keepdims_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    check_reduction_types(in, axis_);
  }

  Arrays forward(const Arrays& in) override {
    return {array::mean(
        in[0], {.axis = axes_of(in[0].shape()), .keepdims = keepdims_})};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Shape& shape = inputs()[0]->shape();
    const Axes axes = axes_of(shape);
    double count = 1;
    for (const int64_t axis : axes) count *= shape[static_cast<int>(axis)];
    return {repeat_over_axes(gy[0] / count, shape, axes)};
  }

 private:
  Axes axes_of(const Shape& shape) const {
    return axis_.normalized(shape.ndim(), "average");
  }

  AxisSet axis_;
  bool keepdims_;
};

// The weights, in x's shape.
Variable spread_weights(const Variable& x, const AverageOptions& options) {
  const Variable& weights = options.weights;
  if (weights.shape() == x.shape()) return weights;
  const Axes axes = options.axis.normalized(x.ndim(), "average");
  if (axes.size() != 1) {
    raise<ValueError>("average: expected weights of x's shape ", x.shape(),
                      " or one axis, got weights of shape ", weights.shape(),
                      " and ", axes.size(), " axes");
  }
  const int axis = static_cast<int>(axes[0]);
  if (weights.shape() != Shape{x.shape()[axis]}) {
    raise<InvalidType>("average: expected weights of shape (", x.shape()[axis],
                       ",) for axis ", axis, " of x ", x.shape(), ", got ",
                       weights.shape());
  }
  Shape aligned = Shape::filled(x.ndim(), 1);
  aligned[axis] = x.shape()[axis];
  return broadcast_to(reshape(weights, aligned), x.shape());
}

}  // namespace

Variable average(const Variable& x, const AverageOptions& options) {
  if (!options.weights.defined()) {
    return apply<Mean>({x}, options.axis, options.keepdims);
  }
  const SumOptions over{.axis = options.axis, .keepdims = options.keepdims};
  const Variable weights = spread_weights(x, options);
  return sum(x * weights, over) / sum(weights, over);
}

Variable mean(const Variable& x, const AverageOptions& options) {
  return average(x, options);
}

}  // namespace catena::functions
