#pragma once

#include <cstdint>
#include <string_view>

#include "catena/autograd/config.h"
#include "catena/autograd/function_description.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/axes.h"
#include "catena/functions/engines/rows/row_call.h"

namespace catena::functions {

// A function of rows along an axis whose gradient is one of its result. A rule
// names the row functors of both, its kind, and the gradient on variables:
//
//   struct Softmax {
//     using Forward = SoftmaxOp;
//     using Gradient = SoftmaxGradient;
//     using Kind = kinds::Softmax;
//     static Variable gradient(const Variable& y, const Variable& gy,
//                              int64_t axis);
//   };
template <class Rule>
class SoftmaxNode final : public FunctionNode {
 public:
  explicit SoftmaxNode(int64_t axis) : axis_(axis) {}

  std::string_view label() const override { return Rule::Forward::kName; }
  FunctionDescription description() const override {
    return FunctionDescription::of<typename Rule::Kind>({{"axis", axis_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    expect_axis(in, x, axis_);
  }

  Arrays forward(const Arrays& in) override {
    retain_output(0);
    axis_ = normalize_axis(axis_, in[0].ndim(), label());
    return {
        map_rows(typename Rule::Forward(), static_cast<int>(axis_), {&in[0]})};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    if (config().enable_backprop) {
      return {Rule::gradient(retained_output(0), gy[0], axis_)};
    }
    return {
        as_variable(map_rows(typename Rule::Gradient(), static_cast<int>(axis_),
                             {&retained_output_array(0), &gy[0].data()}))};
  }

 private:
  int64_t axis_;
};

}  // namespace catena::functions
