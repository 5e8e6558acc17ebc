#include "catena/autograd/testing/simple_functions.h"

#include <numeric>

#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/numerical_grad.h"

namespace catena::testing {
namespace {

class Add final : public FunctionNode {
 public:
  std::string_view label() const override { return "add"; }
  Arrays forward(const Arrays& in) override { return {in[0] + in[1]}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0], gy[0]};
  }
};

class Mul final : public FunctionNode {
 public:
  std::string_view label() const override { return "mul"; }
  Arrays forward(const Arrays& in) override {
    retain_factors();
    return {in[0] * in[1]};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(mul(gy[0], retained_input(1 - i)));
    }
    return gradients;
  }
};

class Exp final : public FunctionNode {
 public:
  std::string_view label() const override { return "exp"; }
  Arrays forward(const Arrays& in) override {
    retain_outputs({0});
    return {array::exp(in[0])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {mul(gy[0], retained_output(0))};
  }
};

class Neg final : public FunctionNode {
 public:
  std::string_view label() const override { return "neg"; }
  Arrays forward(const Arrays& in) override { return {-in[0]}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {neg(gy[0])};
  }
};

class AddSub final : public FunctionNode {
 public:
  std::string_view label() const override { return "add_sub"; }
  Arrays forward(const Arrays& in) override {
    return {in[0] + in[1], in[0] - in[1]};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    if (!gy[0].defined()) return {gy[1], neg(gy[1])};
    if (!gy[1].defined()) return {gy[0], gy[0]};
    return add_sub(gy[0], gy[1]);
  }
};

class Sum final : public FunctionNode {
 public:
  std::string_view label() const override { return "sum"; }
  Arrays forward(const Arrays& in) override {
    shape_ = in[0].shape();
    const std::vector<double> values = gradient_check::to_doubles(in[0]);
    return {array::full({}, std::accumulate(values.begin(), values.end(), 0.0),
                        in[0].dtype(), in[0].device())};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {broadcast_to(gy[0], shape_)};
  }

 private:
  Shape shape_;
};

class BroadcastTo final : public FunctionNode {
 public:
  explicit BroadcastTo(const Shape& shape) : shape_(shape) {}
  std::string_view label() const override { return "broadcast_to"; }
  Arrays forward(const Arrays& in) override {
    return {in[0].broadcast_to(shape_)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {sum(gy[0])};
  }

 private:
  Shape shape_;
};

}  // namespace

Variable add(const Variable& a, const Variable& b) {
  return apply<Add>({a, b});
}
Variable mul(const Variable& a, const Variable& b) {
  return apply<Mul>({a, b});
}
Variable exp(const Variable& x) { return apply<Exp>({x}); }
Variable neg(const Variable& x) { return apply<Neg>({x}); }
Variables add_sub(const Variable& a, const Variable& b) {
  const Variable inputs[] = {a, b};
  return apply_all<AddSub>(inputs);
}
Variable sum(const Variable& x) { return apply<Sum>({x}); }
Variable broadcast_to(const Variable& x, const Shape& shape) {
  return apply<BroadcastTo>({x}, shape);
}

}  // namespace catena::testing
