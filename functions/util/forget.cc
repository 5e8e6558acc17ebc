#include "catena/functions/util/forget.h"

#include <optional>

#include "catena/array/core/error.h"
#include "catena/array/random/drawn_places.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/identity.h"

namespace catena::functions {
namespace {

class Forget final : public FunctionNode {
 public:
  explicit Forget(ForgettableFunction func) : func_(std::move(func)) {}

  std::string_view label() const override { return "forget"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Forget>();
  }
  bool repeats() const override { return drawn_.empty(); }

  Arrays forward(const Arrays& in) override {
    for (int i = 0; i < static_cast<int>(in.size()); ++i) retain_input(i);
    const auto scope = no_backprop_mode();
    const array::random::DrawnPlaces::Recording recording(drawn_);
    train_ = config().train;
    autocast_ = config().autocast;
    Variables xs;
    for (const Array& x : in) xs.push_back(as_variable(x));
    Arrays ys;
    for (const Variable& y : call(xs)) ys.push_back(y.data());
    count_ = ys.size();
    return ys;
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    if (config().enable_backprop) {
      raise<GradientError>(
          "forget: expected a gradient that is not differentiated again, but "
          "double backprop is enabled");
    }
    Variables xs;
    for (int i = 0; i < static_cast<int>(inputs().size()); ++i) {
      const Array& x = retained_input_array(i);
      xs.push_back(is_floating(x.dtype()) ? Variable(x) : as_variable(x));
    }
    propagate(xs, gys);
    Variables gradients;
    for (const int i : wanted) gradients.push_back(xs[i].grad_var());
    return gradients;
  }

 private:
  // Calls func and checks that its results are defined.
  Variables call(const Variables& xs) const {
    Variables ys = func_(xs);
    for (const Variable& y : ys) {
      if (!y.defined()) {
        raise<ValueError>(
            "forget: expected defined variables from the function, got an "
            "undefined one");
      }
    }
    return ys;
  }

  Variables call_again(const Variables& xs) {
    const auto train = using_config(&Config::train, train_);
    const auto autocast = using_config(&Config::autocast, autocast_);
    const auto again = using_config(&Config::in_recomputing, true);
    const array::random::DrawnPlaces::Repeating repeating(drawn_);
    Variables ys = call(xs);
    if (!repeating.is_complete()) {
      raise<ValueError>(
          "forget: expected the function to draw as many random numbers as in "
          "its first call, got fewer");
    }
    return ys;
  }

  void propagate(const Variables& xs, const Variables& gys) {
    const auto scope = force_backprop_mode();
    const Variables ys = call_again(xs);
    if (ys.size() != count_) {
      raise<ValueError>("forget: expected ", count_,
                        " variables from the function as in its first call, "
                        "got ",
                        ys.size());
    }
    std::vector<Variable> outputs;
    std::vector<Variable> gradients;
    for (size_t i = 0; i < ys.size(); ++i) {
      if (!gys[i].defined() || !ys[i].requires_grad()) continue;
      // An input that is returned unchanged has no creator.
      outputs.push_back(ys[i].creator_node() == nullptr ? identity(ys[i])
                                                        : ys[i]);
      gradients.push_back(gys[i]);
    }
    if (!outputs.empty()) catena::backward(outputs, gradients);
  }

  ForgettableFunction func_;
  size_t count_ = 0;
  bool train_ = true;
  AutocastDtype autocast_ = std::nullopt;
  array::random::DrawnPlaces drawn_;  // in the first call
};

}  // namespace

Variables forget(ForgettableFunction func, std::span<const Variable> xs) {
  return apply_all<Forget>(xs, std::move(func));
}

}  // namespace catena::functions
