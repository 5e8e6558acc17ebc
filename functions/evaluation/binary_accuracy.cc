#include "catena/functions/evaluation/binary_accuracy.h"

#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/evaluation/internal/hit_rate.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class BinaryAccuracy final : public FunctionNode {
 public:
  std::string_view label() const override { return "binary_accuracy"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::BinaryAccuracy>();
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [y, t] = in.names<2>({"y", "t"});
    in.expect_floating(y);
    in.expect_integral(t);
    in.expect(y.shape() == t.shape());
  }

  Arrays forward(const Arrays& in) override {
    const Array predicted = array::greater_equal(in[0], 0);
    return {hit_rate(array::equal(predicted, in[1]),
                     array::not_equal(in[1], -1), in[0].dtype())};
  }

  Variables backward(const Indexes& wanted, const Variables&) override {
    return Variables(wanted.size());
  }
};

}  // namespace

Variable binary_accuracy(const Variable& y, const Variable& t) {
  const auto scope = no_backprop_mode();  // the result has no gradient
  return apply<BinaryAccuracy>({y, t});
}

Variable binary_accuracy(const Variable& y, const Array& t) {
  return binary_accuracy(y, as_variable(t));
}

}  // namespace catena::functions
