#include "catena/functions/math/internal/extremum.h"

#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/where.h"
#include "catena/functions/axes.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/internal/reduction_node.h"

namespace catena::functions {
namespace {

class Extremum final : public FunctionNode {
 public:
  using Reduction = Array (*)(const Array&, const array::ReduceOptions&);

  Extremum(std::string_view label, Reduction reduce, const AxisSet& axis,
           bool keepdims)
      : label_(label), reduce_(reduce), axis_(axis), keepdims_(keepdims) {}

  std::string_view label() const override { return label_; }
  FunctionDescription description() const override {
    const bool is_max = reduce_ == Reduction{array::max};
    return {is_max ? FunctionKind::of<kinds::Max>()
                   : FunctionKind::of<kinds::Min>(),
            {{"axis", axis_}, {"keepdims", keepdims_}}};
  }

  void check_type_forward(TypeCheck& in) const override {
    check_reduction_types(in, axis_);
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    retain_output(0);
    return {reduce_(in[0], {.axis = axis_.normalized(in[0].ndim(), label_),
                            .keepdims = keepdims_})};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Array& x = retained_input_array(0);
    const Shape kept =
        shape_with_kept_axes(x.shape(), axis_.normalized(x.ndim(), label_));
    const Array chosen =
        array::equal(x, retained_output_array(0).reshape(kept));
    return {where(chosen, reshape(gy[0], kept), 0)};
  }

 private:
  std::string_view label_;
  Reduction reduce_;
  AxisSet axis_;
  bool keepdims_;
};

}  // namespace

Variable extremum(std::string_view label,
                  Array (*reduce)(const Array&, const array::ReduceOptions&),
                  const Variable& x, const AxisSet& axis, bool keepdims) {
  return apply<Extremum>({x}, label, reduce, axis, keepdims);
}

}  // namespace catena::functions
