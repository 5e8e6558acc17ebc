#include "catena/functions/evaluation/accuracy.h"

#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/evaluation/internal/hit_rate.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class Accuracy final : public FunctionNode {
 public:
  explicit Accuracy(const AccuracyOptions& options) : options_(options) {}

  std::string_view label() const override { return "accuracy"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Accuracy>(
        {{"ignore_label", options_.ignore_label}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [y, t] = in.names<2>({"y", "t"});
    in.expect_floating(y);
    in.expect_integral(t);
    in.expect(y.ndim() >= type_check::Term(2), t.ndim() >= type_check::Term(1),
              t.ndim() <= y.ndim());
    in.expect(y.shape(0) == t.shape(0));
    const int t_ndim = t.array().ndim();
    for (int axis = 2; axis < y.array().ndim(); ++axis) {
      if (axis <= t_ndim) {
        in.expect(y.shape(axis) == t.shape(axis - 1));
      } else {
        in.expect(y.shape(axis) == type_check::Term(1));
      }
    }
  }

  Arrays forward(const Arrays& in) override {
    const Array& y = in[0];
    const Array& t = in[1];
    const Array right = array::equal(array::argmax(y, 1).reshape(t.shape()), t);
    if (!options_.ignore_label) {
      return {array::mean(right).astype(y.dtype())};
    }
    return {hit_rate(right, array::not_equal(t, *options_.ignore_label),
                     y.dtype())};
  }

  Variables backward(const Indexes& wanted, const Variables&) override {
    return Variables(wanted.size());
  }

 private:
  AccuracyOptions options_;
};

}  // namespace

Variable accuracy(const Variable& y, const Variable& t,
                  const AccuracyOptions& options) {
  const auto scope = no_backprop_mode();  // the result has no gradient
  return apply<Accuracy>({y, t}, options);
}

Variable accuracy(const Variable& y, const Array& t,
                  const AccuracyOptions& options) {
  return accuracy(y, as_variable(t), options);
}

}  // namespace catena::functions
