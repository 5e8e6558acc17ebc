#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/parameter.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/autograd/variable.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using testing::add;
using testing::add_sub;
using ::testing::ElementsAre;
using testing::IsArray;
using testing::IsClose;
using testing::mul;
using testing::neg;
using ::testing::StrEq;
using testing::sum;

Array grad_values() { return array::array({1.0, 2.0, 3.0}); }

// Every test also checks that its graph goes.
class GradTest : public ::testing::Test {
 private:
  testing::ExpectNoSurvivors survivors_;
};

TEST_F(GradTest, ReturnsGradientsAndStoresNone) {
  const Variable a(grad_values());
  const Variable b(2.0 * grad_values());
  const Variable y = mul(a, b);
  const auto gradients = grad({y}, {a, b});
  ASSERT_EQ(gradients.size(), 2);
  EXPECT_THAT(gradients[0].data(), IsArray(2.0 * grad_values()));
  EXPECT_THAT(gradients[1].data(), IsArray(grad_values()));
  for (const Variable& v : {a, b, y}) EXPECT_FALSE(v.grad().defined());
  EXPECT_EQ(gradients[0].creator_node(), nullptr);
}

TEST_F(GradTest, LeavesStoredGradientsAlone) {
  const Variable x(grad_values());
  const Variable h = neg(x);
  const Variable y = sum(h);
  for (const Variable& v : {x, h}) v.set_grad(grad_values());
  y.set_grad(array::array(7.0));
  const auto gradients = grad({y}, {x});
  EXPECT_THAT(gradients[0].data(), IsArray(-array::ones({3})));
  EXPECT_THAT(x.grad(), IsArray(grad_values()));
  EXPECT_THAT(h.grad(), IsArray(grad_values()));
  EXPECT_THAT(y.grad(), IsArray(array::array(7.0)));
}

TEST_F(GradTest, StartsFromTheGivenGradients) {
  const Variable x(grad_values());
  const Variable y = neg(x);
  const Variable z = mul(x, x);
  const auto gradients = grad(
      {y, z}, {x}, {.grad_outputs = {as_variable(grad_values()), Variable()}});
  EXPECT_THAT(gradients[0].data(), IsArray(grad_values()));
  EXPECT_THAT(grad({y}, {x}, {.loss_scale = 8.0})[0].data(),
              IsArray(array::full({3}, -8.0)));
}

TEST_F(GradTest, AddsToTheGivenInputGradients) {
  const Variable x(grad_values());
  const Variable other(grad_values());
  const Array start = 10.0 * grad_values();
  const auto gradients =
      grad({neg(x)}, {x, other},
           {.grad_inputs = {as_variable(start), as_variable(start)}});
  EXPECT_THAT(gradients[0].data(), IsArray(10.0 * grad_values() - 1.0));
  EXPECT_THAT(gradients[1].data(), IsArray(start));
  EXPECT_THAT(start, IsArray(10.0 * grad_values()));
}

TEST_F(GradTest, StoresResultsOnRequest) {
  const Variable x(grad_values());
  const Variable other(grad_values());
  other.set_grad(grad_values());
  const auto gradients = grad({neg(x)}, {x, other}, {.set_grad = true});
  EXPECT_TRUE(x.grad_var().is_same(gradients[0]));
  EXPECT_FALSE(other.grad().defined());
}

TEST_F(GradTest, KeepsGradientsOnTheWayOnRequest) {
  const Variable x(grad_values());
  const Variable h = neg(x);
  const Variable y = mul(h, h);
  grad({y}, {x}, {.retain_grad = true});
  EXPECT_THAT(y.grad(), IsArray(array::ones({3})));
  EXPECT_THAT(h.grad(), IsArray(-2.0 * grad_values()));
  EXPECT_FALSE(x.grad().defined());
}

TEST_F(GradTest, IsUndefinedWhereNoPathLeads) {
  const Variable x(grad_values());
  const Variable other(grad_values());
  const Variable constant = as_variable(grad_values());
  const Variable y = mul(x, constant);
  EXPECT_FALSE(grad({y}, {other})[0].defined());
  EXPECT_FALSE(grad({y}, {constant})[0].defined());
  EXPECT_FALSE(grad({x}, {y})[0].defined());
  const Variable later = neg(y);
  EXPECT_FALSE(grad({y}, {later})[0].defined());
}

TEST_F(GradTest, GivesTheGradientOfInnerVariables) {
  const Variable x(grad_values());
  const Variable h = neg(x);
  const Variable z = mul(h, h);
  const auto gradients = grad({sum(z)}, {z, h, x});
  EXPECT_THAT(gradients[0].data(), IsArray(array::ones({3})));
  EXPECT_THAT(gradients[1].data(), IsArray(-2.0 * grad_values()));
  EXPECT_THAT(gradients[2].data(), IsArray(2.0 * grad_values()));
}

TEST_F(GradTest, GivesTheGradientOfAnOutputWithRespectToItself) {
  const Variable x(grad_values());
  const Variable y = neg(x);
  const auto gradients = grad({y, x}, {y, x});
  EXPECT_THAT(gradients[0].data(), IsArray(array::ones({3})));
  EXPECT_THAT(gradients[1].data(), IsArray(array::zeros({3})));
}

TEST_F(GradTest, GivesTheSameGradientForAnInputAskedTwice) {
  const Variable x(grad_values());
  const auto gradients = grad({neg(x)}, {x, x});
  EXPECT_TRUE(gradients[0].is_same(gradients[1]));
}

// Counts how often it is differentiated.
class Counted final : public FunctionNode {
 public:
  explicit Counted(int& calls) : calls_(calls) {}
  std::string_view label() const override { return "Counted"; }
  Arrays forward(const Arrays& in) override { return {in[0] * 1.0}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    ++calls_;
    return gy;
  }

 private:
  int& calls_;
};

TEST_F(GradTest, ComputesOnlyWhatLiesBetween) {
  int before = 0;
  int between = 0;
  int beside = 0;
  const Variable x(grad_values());
  const Variable h = apply<Counted>({x}, before);
  const Variable side = apply<Counted>({Variable(grad_values())}, beside);
  const Variable y = add(apply<Counted>({h}, between), side);
  grad({y}, {h});
  EXPECT_EQ(between, 1);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(beside, 0);
}

TEST_F(GradTest, AsksFunctionsOnlyForWhatIsWanted) {
  class Choosy final : public FunctionNode {
   public:
    std::string_view label() const override { return "Choosy"; }
    Arrays forward(const Arrays& in) override { return {in[0] + in[1]}; }
    Variables backward(const Indexes& wanted, const Variables& gy) override {
      EXPECT_THAT(wanted, ElementsAre(1));
      return gy;
    }
  };
  const Variable a(grad_values());
  const Variable b(grad_values());
  grad({apply<Choosy>({a, b})}, {b});
}

TEST_F(GradTest, IsDifferentiableToAnyOrder) {
  // y = x^4: 4 x^3, 12 x^2, 24 x, 24.
  const Variable x(grad_values());
  const Variable square = mul(x, x);
  Variable y = mul(square, square);
  const Array expected[] = {4.0 * grad_values() * grad_values() * grad_values(),
                            12.0 * grad_values() * grad_values(),
                            24.0 * grad_values(), array::full({3}, 24.0)};
  for (const Array& derivative : expected) {
    y = grad({y}, {x}, {.enable_double_backprop = true})[0];
    EXPECT_THAT(y.data(), IsArray(derivative));
  }
  EXPECT_FALSE(grad({y}, {x})[0].defined());
}

TEST_F(GradTest, DifferentiatesMixedSecondDerivatives) {
  // y = exp(a) b^2: d2y / da db = 2 exp(a) b.
  const Variable a(grad_values());
  const Variable b(0.5 * grad_values());
  const Variable y = mul(testing::exp(a), mul(b, b));
  const GradOptions record{.enable_double_backprop = true};
  const Variable ga = grad({y}, {a}, record)[0];
  const auto second = grad({ga}, {a, b}, record);
  EXPECT_THAT(second[0].data(), IsClose(y.data()));
  EXPECT_THAT(second[1].data(),
              IsClose(array::exp(grad_values()) * grad_values()));
  const Variable third = grad({second[1]}, {b})[0];
  EXPECT_THAT(third.data(), IsClose(2.0 * array::exp(grad_values())));
}

TEST_F(GradTest, PenalizesAGradient) {
  // d/dw of sum(gx^2) for y = w x^2, gx = 2 w x: 8 w x^2.
  const Variable w(0.5 * grad_values());
  const Variable x(grad_values());
  const Variable y = mul(w, mul(x, x));
  const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
  sum(mul(gx, gx)).backward();
  EXPECT_THAT(w.grad(),
              IsClose(8.0 * w.data() * grad_values() * grad_values()));
}

TEST_F(GradTest, DifferentiatesTheSumWithGivenInputGradients) {
  const Variable x(grad_values());
  const Variable start = mul(x, x);
  const Variable gx =
      grad({mul(x, x)}, {x},
           {.grad_inputs = {start}, .enable_double_backprop = true})[0];
  EXPECT_THAT(gx.data(),
              IsArray(grad_values() * grad_values() + 2.0 * grad_values()));
  EXPECT_THAT(grad({gx}, {x})[0].data(), IsArray(2.0 * grad_values() + 2.0));
}

TEST_F(GradTest, FlowsBackIntoTheGivenOutputGradients) {
  const Variable x(grad_values());
  const Variable gy(2.0 * grad_values());
  const Variable gx =
      grad({mul(x, x)}, {x},
           {.grad_outputs = {gy}, .enable_double_backprop = true})[0];
  EXPECT_THAT(grad({gx}, {gy})[0].data(), IsArray(2.0 * grad_values()));
}

TEST_F(GradTest, RecordsByItsOwnOptionNotByTheConfig) {
  const Variable x(grad_values());
  const Variable y = mul(x, x);
  const auto scope = no_backprop_mode();
  const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
  EXPECT_NE(gx.creator_node(), nullptr);
  EXPECT_FALSE(config().enable_backprop);
}

TEST_F(GradTest, RejectsWhatItCannotUse) {
  const Variable x(grad_values());
  const Variable y = neg(x);
  const Variable wrong = as_variable(array::ones({2}));
  EXPECT_THAT(error_of<ValueError>([&] {
                grad({y}, {x, Variable()});
              }),
              StrEq("grad: input 1 is an undefined variable"));
  EXPECT_THAT(error_of<ValueError>([&] { grad({Variable()}, {x}); }),
              StrEq("grad: output 0 is an undefined variable"));
  EXPECT_THAT(error_of<ValueError>([&] { grad({y}, {Parameter(0)}); }),
              StrEq("grad: input 0 is an uninitialized parameter"));
  EXPECT_THAT(error_of<ValueError>([&] {
                grad({y}, {x}, {.grad_outputs = {wrong, wrong}});
              }),
              StrEq("grad: expected 1 grad_outputs, got 2"));
  EXPECT_THAT(
      error_of<ShapeError>([&] { grad({y}, {x}, {.grad_outputs = {wrong}}); }),
      StrEq("grad_outputs: expected a gradient of shape (3,), got "
            "(2,)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                grad({y}, {x}, {.grad_inputs = {wrong, wrong}});
              }),
              StrEq("grad: expected 1 grad_inputs, got 2"));
  EXPECT_THAT(
      error_of<ShapeError>([&] { grad({y}, {x}, {.grad_inputs = {wrong}}); }),
      StrEq("grad_inputs: expected a gradient of shape (3,), got "
            "(2,)"));
}

TEST_F(GradTest, LeavesNothingHalfDoneWhenAFunctionThrows) {
  class Thrower final : public FunctionNode {
   public:
    std::string_view label() const override { return "Thrower"; }
    Arrays forward(const Arrays& in) override { return {in[0] * 1.0}; }
    Variables backward(const Indexes&, const Variables&) override {
      raise<ValueError>("no gradient today");
    }
  };
  const Variable x(grad_values());
  const Variable h = neg(x);
  const Variable good = mul(h, h);
  const Variable bad = apply<Thrower>({h});
  EXPECT_THROW(grad({good, bad}, {x}, {.retain_grad = true}), ValueError);
  EXPECT_FALSE(good.grad().defined());
  EXPECT_THAT(grad({good}, {x})[0].data(), IsArray(2.0 * grad_values()));
}

}  // namespace
}  // namespace catena
