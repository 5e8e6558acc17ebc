#include "catena/functions/array/where.h"

#include "catena/array/error.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/sum_to.h"

namespace catena::functions {
namespace {

// The inputs are the values; one may be a number instead.
class Where final : public FunctionNode {
 public:
  enum class Values { kBoth, kFirst, kSecond };

  Where(const Array& condition, Values values, Scalar number = 0)
      : condition_(condition), values_(values), number_(number) {}

  std::string_view label() const override { return "where"; }
  FunctionDescription description() const override {
    FunctionOptions options = {{"condition", condition_}};
    if (values_ == Values::kFirst) options.push_back({"y", number_});
    if (values_ == Values::kSecond) options.push_back({"x", number_});
    return FunctionDescription::of<kinds::Where>(std::move(options));
  }

  void check_type_forward(TypeCheck& in) const override {
    static constexpr std::string_view kBoth[] = {"x", "y"};
    const std::span<const std::string_view> names(kBoth);
    in.set_names(values_ == Values::kBoth    ? names
                 : values_ == Values::kFirst ? names.first(1)
                                             : names.last(1));
    if (condition_.dtype() != Dtype::kBool) {
      in.fail("condition.dtype == bool", to_string(condition_.dtype()));
    }
    if (values_ == Values::kBoth) {
      in.expect(in[0].dtype() == in[1].dtype());
      in.expect_broadcastable();
    }
  }

  Arrays forward(const Arrays& in) override {
    switch (values_) {
      case Values::kFirst:
        return {array::where(condition_, in[0], number_)};
      case Values::kSecond:
        return {array::where(condition_, number_, in[0])};
      case Values::kBoth:
        break;
    }
    return {array::where(condition_, in[0], in[1])};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables gradients;
    for (const int i : wanted) {
      const bool is_first =
          values_ == Values::kFirst || (values_ == Values::kBoth && i == 0);
      gradients.push_back(sum_to(
          is_first ? where(condition_, gy[0], 0) : where(condition_, 0, gy[0]),
          inputs()[i]->shape()));
    }
    return gradients;
  }

 private:
  Array condition_;
  Values values_;
  Scalar number_;
};

}  // namespace

Variable where(const Array& condition, const Variable& x, const Variable& y) {
  return apply<Where>({x, y}, condition, Where::Values::kBoth);
}
Variable where(const Array& condition, const Variable& x, Scalar y) {
  return apply<Where>({x}, condition, Where::Values::kFirst, y);
}
Variable where(const Array& condition, Scalar x, const Variable& y) {
  return apply<Where>({y}, condition, Where::Values::kSecond, x);
}

}  // namespace catena::functions
