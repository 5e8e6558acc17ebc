#include "catena/autograd/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;

Array values() { return array::array({1.0, 2.0, 3.0}); }

// Every test also checks that its graph goes.
class FunctionTest : public ::testing::Test {
 private:
  testing::ExpectNoSurvivors survivors_;
};

// a b + c
class MulAdd : public Function {
 public:
  void check_type_forward(TypeCheck& in) const override {
    const auto [a, b, c] = in.names<3>({"a", "b", "c"});
    in.expect_floating(a);
    in.expect(a.shape() == b.shape(), a.shape() == c.shape());
  }
  Arrays forward(const Arrays& x) override { return {x[0] * x[1] + x[2]}; }
  Arrays backward(const Arrays& x, const Arrays& gy) override {
    return {x[1] * gy[0], x[0] * gy[0], gy[0]};
  }
};

TEST_F(FunctionTest, WorksOnArraysBothWays) {
  const Variable a(values()), b(2.0 * values()), c(values());
  const Variable y = apply_function<MulAdd>({a, b, c});
  EXPECT_THAT(y.data(), IsClose(2.0 * values() * values() + values()));
  EXPECT_EQ(y.creator_node()->label(), "MulAdd");
  testing::sum(y).backward();
  EXPECT_THAT(a.grad(), IsClose(2.0 * values()));
  EXPECT_THAT(b.grad(), IsClose(values()));
  EXPECT_THAT(c.grad(), IsArray(array::ones({3})));
}

TEST_F(FunctionTest, ChecksItsInputsUnlessTypeCheckIsOff) {
  const Variable integers = as_variable(array::arange(3));
  const auto call = [&] {
    apply_function<MulAdd>({integers, integers, integers});
  };
  EXPECT_THAT(error_of<InvalidType>(call), HasSubstr("MulAdd (Forward)"));
  const auto scope = using_config(&Config::type_check, false);
  EXPECT_NO_THROW(call());
}

TEST_F(FunctionTest, CannotBeDifferentiatedTwice) {
  const Variable a(values()), b(values()), c(values());
  const Variable y = testing::sum(apply_function<MulAdd>({a, b, c}));
  const auto gradients = grad({y}, {a, c}, {.enable_double_backprop = true});
  EXPECT_THAT(gradients[0].data(), IsArray(values()));
  EXPECT_THAT(
      error_of<GradientError>([&] { testing::sum(gradients[0]).backward(); }),
      HasSubstr("MulAdd: an old-style Function cannot be differentiated twice; "
                "derive it from FunctionNode"));
}

// Keeps its output alone: y = exp(x).
class Exp : public Function {
 public:
  Arrays forward_cpu(const Arrays& x) override {
    retain_inputs({});
    retain_outputs({0});
    return {array::exp(x[0])};
  }
  Arrays backward_cpu(const Arrays& x, const Arrays& gy) override {
    EXPECT_FALSE(x[0].defined());
    return {output_data(0) * gy[0]};
  }
};

TEST_F(FunctionTest, RetainsWhatItAsksFor) {
  const Variable x(values());
  Variable y = apply_function<Exp>({testing::neg(x)});
  y = testing::sum(y);
  y.backward();
  EXPECT_THAT(x.grad(), IsClose(-array::exp(-values())));
}

TEST_F(FunctionTest, CannotBeDifferentiatedTwiceThroughItsOutput) {
  const Variable x(values());
  const Variable y = apply_function<Exp>({x});
  const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
  EXPECT_THAT(gx.data(), IsClose(array::exp(values())));
  EXPECT_THAT(error_of<GradientError>([&] { grad({gx}, {x}); }),
              HasSubstr("Exp: an old-style Function cannot be differentiated"));
}

class WantsLostOutput : public Exp {
  Arrays backward(const Arrays&, const Arrays& gy) override {
    return {output_data(1) * gy[0]};
  }
};

TEST_F(FunctionTest, SaysWhichOutputItDidNotRetain) {
  const Variable x(values());
  const Variable y = testing::sum(apply_function<WantsLostOutput>({x}));
  EXPECT_THAT(error_of<GradientError>([&] { y.backward(); }),
              HasSubstr("output 1"));
}

// Two outputs, and no gradient for the second input.
class Half : public Function {
 public:
  std::string_view label() const override { return "half"; }
  Arrays forward(const Arrays& x) override { return {x[0] / 2.0, x[0] + x[1]}; }
  Arrays backward(const Arrays&, const Arrays& gy) override {
    EXPECT_FALSE(gy[1].defined());
    return {gy[0] / 2.0, Array()};
  }
};

TEST_F(FunctionTest, MayLackGradientsOnBothSides) {
  const Variable a(values()), b(values());
  const Variables y = (*std::make_shared<Half>())({a, b});
  testing::sum(y[0]).backward();
  EXPECT_THAT(a.grad(), IsClose(array::full({3}, 0.5)));
  EXPECT_FALSE(b.grad().defined());
}

class Nothing : public Function {};

class NoBackward : public Function {
  Arrays forward(const Arrays& x) override { return {x[0]}; }
};

class TooFew : public NoBackward {
  Arrays backward(const Arrays&, const Arrays&) override { return {}; }
};

TEST_F(FunctionTest, SaysWhatTheClassLacks) {
  const Variable x(values());
  EXPECT_THAT(
      error_of<NotImplementedError>([&] { apply_function<Nothing>({x}); }),
      HasSubstr("Nothing: expected the class to override forward or "
                "forward_cpu"));
  Nothing nothing;
  EXPECT_THAT(error_of<NotImplementedError>([&] { nothing.forward_gpu({}); }),
              HasSubstr("forward_gpu"));
  EXPECT_THAT(
      error_of<NotImplementedError>([&] { nothing.backward_gpu({}, {}); }),
      HasSubstr("backward_gpu"));
  EXPECT_THAT(error_of<NotImplementedError>([&] {
                testing::sum(apply_function<NoBackward>({x})).backward();
              }),
              HasSubstr("backward or backward_cpu"));
  EXPECT_THAT(error_of<GradientError>([&] {
                testing::sum(apply_function<TooFew>({x})).backward();
              }),
              HasSubstr("TooFew: backward returned 0 gradients, expected 1"));
}

TEST_F(FunctionTest, IsANodeOfTheGraph) {
  const Variable x(values());
  const auto exp = std::make_shared<Exp>();
  EXPECT_TRUE(exp->inputs().empty());
  const Variable h = testing::neg(x);
  const Variable y = (*exp)({h})[0];
  EXPECT_EQ(y.creator_node(), &exp->node());
  EXPECT_EQ(static_cast<FunctionAdapter&>(exp->node()).function(), exp.get());
  EXPECT_EQ(exp->inputs()[0].get(), h.node());
  EXPECT_EQ(exp->outputs()[0], y.node());
  EXPECT_EQ(exp->rank(), 1);
  EXPECT_THAT(error_of<ValueError>([&] { (*exp)({h}); }),
              HasSubstr("applied only once"));
  exp->unchain();
  EXPECT_EQ(y.creator_node(), nullptr);
}

TEST_F(FunctionTest, MayBeAppliedAgainWhereNothingIsRecorded) {
  const auto scope = no_backprop_mode();
  const auto exp = std::make_shared<Exp>();
  const Variable x(values());
  EXPECT_THAT((*exp)({x})[0].data(), IsArray((*exp)({x})[0].data()));
}

TEST_F(FunctionTest, OutlivesItsHandleInTheGraph) {
  const Variable x(values());
  Variable y;
  {
    const auto node =
        Ref<FunctionNode>::adopt(new FunctionAdapter(std::make_shared<Exp>()));
    const Variable inputs[] = {x};
    y = node->apply(inputs)[0];
  }
  testing::sum(y).backward();
  EXPECT_THAT(x.grad(), IsClose(array::exp(values())));
}

class Counter : public FunctionHook {
 public:
  std::string_view name() const override { return "Counter"; }
  void forward_preprocess(const FunctionNode&, const Arrays&) override {
    ++count;
  }
  int count = 0;
};

TEST_F(FunctionTest, HasHooksOfItsOwn) {
  const auto exp = std::make_shared<Exp>();
  const auto counter = std::make_shared<Counter>();
  exp->add_hook(counter);
  EXPECT_THAT(exp->local_function_hooks(), ElementsAre(counter));
  (*exp)({Variable(values())});
  EXPECT_EQ(counter->count, 1);
  const auto other = std::make_shared<Exp>();
  other->add_hook(counter);
  other->delete_hook("Counter");
  (*other)({Variable(values())});
  EXPECT_EQ(counter->count, 1);
}

// a x, with a number that copies have, too.
class Scaled : public Function {
 public:
  explicit Scaled(double a) : a_(a) {}
  Arrays forward(const Arrays& x) override { return {a_ * x[0]}; }
  Arrays backward(const Arrays&, const Arrays& gy) override {
    return {a_ * gy[0]};
  }

 private:
  double a_;
};

TEST_F(FunctionTest, IsCopiedToBeAppliedAgain) {
  const auto scale = std::make_shared<Scaled>(3.0);
  const auto again = std::make_shared<Scaled>(*scale);
  const Variable x(values());
  const Variable y = (*scale)({x})[0];
  const Variable z = (*again)({y})[0];
  const auto third = std::make_shared<Scaled>(*scale);
  EXPECT_THAT(third->inputs(), ::testing::IsEmpty());
  testing::sum((*third)({z})[0]).backward();
  EXPECT_THAT(x.grad(), IsClose(array::full_like(values(), 27.0)));
}

}  // namespace
}  // namespace catena
