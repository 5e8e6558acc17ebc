#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/from_data.h"
#include "catena/array/index.h"
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
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;
using testing::mul;
using testing::neg;
using ::testing::StrEq;
using testing::sum;

Array x_values() { return array::array({1.0, 2.0, 3.0}); }

// Every test also checks that its graph goes.
class BackwardTest : public ::testing::Test {
 private:
  testing::ExpectNoSurvivors survivors_;
};

TEST_F(BackwardTest, FollowsAChain) {
  const Variable x(x_values());
  sum(testing::exp(neg(x))).backward();
  EXPECT_THAT(x.grad(), IsClose(-array::exp(-x_values())));
}

TEST_F(BackwardTest, WarnsOfAnOutputThatNothingNeeds) {
  ::testing::internal::CaptureStderr();
  sum(as_variable(x_values())).backward();
  sum(as_variable(x_values())).backward();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: backward: nothing that the output was computed from "
            "needs a gradient, so none is computed: is it a Variable without "
            "gradient, or computed in no_backprop_mode() or from arrays?\n");
}

TEST_F(BackwardTest, AddsUpTheBranchesOfADiamond) {
  const Variable x(x_values());
  const Variable h = neg(x);
  const Variable y = add(mul(h, h), testing::exp(h));
  sum(y).backward();
  EXPECT_THAT(x.grad(), IsClose(2.0 * x_values() - array::exp(-x_values())));
  EXPECT_FALSE(h.grad().defined());
}

TEST_F(BackwardTest, AddsGradientsOnceAllAreThereOnRequest) {
  // x is used four times, h twice; every order of gradient is the same.
  const auto derivatives = [](const Variable& x) {
    const Variable h = mul(x, x);
    const Variable y = sum(mul(mul(h, h), mul(x, x)));
    const Variable gx = grad({y}, {x}, {.enable_double_backprop = true}).at(0);
    y.backward();
    return std::pair(gx, grad({sum(gx)}, {x}).at(0).data());
  };
  const Variable eager(x_values());
  const auto [eager_gx, eager_ggx] = derivatives(eager);
  EXPECT_EQ(eager_gx.creator_node()->inputs().size(), 2u);

  const auto scope = using_config(&Config::lazy_grad_sum, true);
  const Variable lazy(x_values());
  const auto [lazy_gx, lazy_ggx] = derivatives(lazy);
  // One function adds all terms: those of both uses in x * x, twice.
  EXPECT_EQ(lazy_gx.creator_node()->label(), "_ + _");
  EXPECT_EQ(lazy_gx.creator_node()->inputs().size(), 4u);
  EXPECT_THAT(lazy_gx.data(), IsClose(eager_gx.data()));
  EXPECT_THAT(lazy.grad(), IsClose(eager.grad()));
  EXPECT_THAT(lazy_ggx, IsClose(eager_ggx));
}

TEST_F(BackwardTest, RunsEachFunctionOnceAfterAllThatUseIt) {
  // Branches of different length meet in h; exponentially many paths lead to x.
  const Variable x(x_values());
  Variable h = x;
  for (int i = 0; i < 40; ++i) h = add(neg(h), neg(neg(neg(h))));
  sum(h).backward();
  const double expected = std::pow(-2.0, 40);
  EXPECT_THAT(x.grad(), IsArray(array::full({3}, expected)));
}

TEST_F(BackwardTest, CountsAnInputThatIsUsedTwice) {
  const Variable x(x_values());
  sum(mul(x, x)).backward();
  EXPECT_THAT(x.grad(), IsArray(2.0 * x_values()));
}

TEST_F(BackwardTest, ReachesFunctionsByOneOfSeveralOutputs) {
  const Variable a(x_values());
  const Variable b(x_values());
  const Variables outputs = add_sub(a, b);
  sum(outputs[1]).backward();
  EXPECT_THAT(a.grad(), IsArray(array::ones({3})));
  EXPECT_THAT(b.grad(), IsArray(-array::ones({3})));
}

TEST_F(BackwardTest, WorksAfterOutputsAndInnerVariablesHaveGone) {
  const Variable a(x_values());
  Variable y = sum(mul(add_sub(neg(a), a)[1], testing::exp(a)));
  y.backward();
  EXPECT_THAT(a.grad(),
              IsClose(-2.0 * array::exp(x_values()) * (x_values() + 1.0)));
}

TEST_F(BackwardTest, AddsToTheGradientsOfLeaves) {
  const Variable x(x_values());
  const Variable y = sum(mul(x, x));
  y.backward();
  y.backward();
  EXPECT_THAT(x.grad(), IsArray(4.0 * x_values()));
  sum(neg(x)).backward();
  EXPECT_THAT(x.grad(), IsArray(4.0 * x_values() - 1.0));
}

TEST_F(BackwardTest, StartsFromTheOutputsGradientAndTakesItAway) {
  const Variable x(x_values());
  const Variable y = neg(x);
  y.set_grad(x_values());
  y.backward();
  EXPECT_THAT(x.grad(), IsArray(-x_values()));
  EXPECT_FALSE(y.grad().defined());
}

TEST_F(BackwardTest, NeedsAGradientUnlessTheOutputHasOneElement) {
  const Variable x(x_values());
  EXPECT_THAT(error_of<GradientError>([&] { neg(x).backward(); }),
              HasSubstr("backward: expected a gradient at the output of shape "
                        "(3,)"));
  const Variable one(array::ones({1, 1}, Dtype::kFloat32));
  neg(one).backward();
  EXPECT_THAT(one.grad(), IsArray(-array::ones({1, 1}, Dtype::kFloat32)));
}

TEST_F(BackwardTest, ScalesTheGradientItStartsWith) {
  const Variable x(x_values());
  sum(x).backward({.loss_scale = 128.0});
  EXPECT_THAT(x.grad(), IsArray(array::full({3}, 128.0)));
  x.cleargrad();
  const Variable y = neg(x);
  y.set_grad(x_values());
  y.backward({.loss_scale = 128.0});
  EXPECT_THAT(x.grad(), IsArray(-x_values()));
}

TEST_F(BackwardTest, DoesNothingToALeaf) {
  const Variable x(x_values());
  x.backward();
  EXPECT_FALSE(x.grad().defined());
  const Variable scalar(array::array(1.0));
  scalar.backward();
  EXPECT_FALSE(scalar.grad().defined());
  scalar.set_grad(array::array(3.0));
  scalar.backward();
  EXPECT_THAT(scalar.grad(), IsArray(array::array(3.0)));
}

TEST_F(BackwardTest, KeepsInnerGradientsOnRequest) {
  const Variable x(x_values());
  const Variable h = neg(x);
  const Variable z = mul(h, h);
  const Variable y = sum(z);
  y.backward({.retain_grad = true});
  EXPECT_THAT(y.grad(), IsArray(array::array(1.0)));
  EXPECT_THAT(z.grad(), IsArray(array::ones({3})));
  EXPECT_THAT(h.grad(), IsArray(-2.0 * x_values()));
  EXPECT_THAT(x.grad(), IsArray(2.0 * x_values()));
  y.cleargrad();
  y.backward({.retain_grad = true});
  EXPECT_THAT(h.grad(), IsArray(-2.0 * x_values()));
  EXPECT_THAT(x.grad(), IsArray(4.0 * x_values()));
}

TEST_F(BackwardTest, KeepsNoGradientOfAVariableThatNobodyHolds) {
  // The gradient of h is computed from h: stored there it would be a cycle.
  const Variable x(x_values());
  Variable y;
  {
    const Variable h = neg(x);
    y = sum(mul(h, h));
  }
  y.backward({.retain_grad = true, .enable_double_backprop = true});
  EXPECT_THAT(x.grad(), IsArray(2.0 * x_values()));
}

TEST_F(BackwardTest, IsDifferentiableOnRequest) {
  const Variable x(x_values());
  const Variable y = sum(mul(mul(x, x), x));
  y.backward();
  EXPECT_EQ(x.grad_var().creator_node(), nullptr);
  x.cleargrad();
  y.backward({.enable_double_backprop = true});
  const Variable gx = x.grad_var();
  EXPECT_NE(gx.creator_node(), nullptr);
  EXPECT_THAT(gx.data(), IsArray(3.0 * x_values() * x_values()));
  x.cleargrad();
  sum(gx).backward({.enable_double_backprop = true});
  const Variable ggx = x.grad_var();
  EXPECT_THAT(ggx.data(), IsArray(6.0 * x_values()));
  x.cleargrad();
  sum(ggx).backward();
  EXPECT_THAT(x.grad(), IsArray(array::full({3}, 6.0)));
}

TEST_F(BackwardTest, DifferentiatesAGradientThatWasAddedUp) {
  const Variable x(x_values());
  sum(mul(x, x)).backward({.enable_double_backprop = true});
  sum(testing::exp(x)).backward({.enable_double_backprop = true});
  const Variable gx = x.grad_var();
  x.cleargrad();
  sum(gx).backward();
  EXPECT_THAT(x.grad(), IsClose(2.0 + array::exp(x_values())));
}

TEST_F(BackwardTest, RecordsByItsOwnOptionNotByTheConfig) {
  const Variable x(x_values());
  const Variable y = sum(mul(x, x));
  {
    const auto scope = no_backprop_mode();
    y.backward({.enable_double_backprop = true});
  }
  EXPECT_NE(x.grad_var().creator_node(), nullptr);
  {
    const auto scope = no_backprop_mode();
    y.backward({.enable_double_backprop = true});
  }
  EXPECT_NE(x.grad_var().creator_node(), nullptr);
  x.cleargrad();
  y.backward();
  EXPECT_EQ(x.grad_var().creator_node(), nullptr);
  EXPECT_TRUE(config().enable_backprop);
}

TEST_F(BackwardTest, GivesNothingToConstantsAndIntegers) {
  const Variable x(x_values());
  const Variable constant = as_variable(x_values());
  sum(mul(x, constant)).backward();
  EXPECT_FALSE(constant.grad().defined());
  EXPECT_THAT(x.grad(), IsArray(x_values()));
}

TEST_F(BackwardTest, ChecksGradientsWhereAVariablesDataHaveGone) {
  const Variable x(array::ones({3}, Dtype::kFloat32));
  sum(neg(neg(x))).backward();
  EXPECT_THAT(x.grad(), IsArray(array::ones({3}, Dtype::kFloat32)));
}

// The gradients of a and b are one and the same Variable.
TEST_F(BackwardTest, GivesEachLeafAGradientOfItsOwn) {
  const Variable a(x_values());
  const Variable b(x_values());
  const Variable y = add(a, b);
  const Array start = x_values();
  y.set_grad(start);
  y.backward();
  a.grad() += 1.0;
  EXPECT_THAT(a.grad(), IsArray(x_values() + 1.0));
  EXPECT_THAT(b.grad(), IsArray(x_values()));
  b.grad() += 1.0;
  EXPECT_THAT(start, IsArray(x_values()));
}

TEST_F(BackwardTest, GivesLeavesGradientsThatCanBeWrittenTo) {
  const Variable x(x_values());
  sum(x).backward();
  EXPECT_TRUE(x.grad().is_contiguous());
  x.grad() *= 2.0;
  EXPECT_THAT(x.grad(), IsArray(array::full({3}, 2.0)));
}

TEST_F(BackwardTest, NeverChangesAGradientThatSomebodyHolds) {
  const Variable x(x_values());
  const Variable y = sum(neg(x));
  y.backward();
  const Array array = x.grad();
  y.backward();
  EXPECT_THAT(array, IsArray(-array::ones({3})));
  EXPECT_THAT(x.grad(), IsArray(array::full({3}, -2.0)));

  const Variable variable = x.grad_var();
  y.backward();
  EXPECT_THAT(variable.data(), IsArray(array::full({3}, -2.0)));
  EXPECT_THAT(x.grad(), IsArray(array::full({3}, -3.0)));

  const Array view = x.grad()[{Slice(0, 2)}];
  y.backward();
  EXPECT_THAT(view, IsArray(array::full({2}, -3.0)));
  EXPECT_THAT(x.grad(), IsArray(array::full({3}, -4.0)));
}

TEST_F(BackwardTest, AddsInPlaceToAGradientThatNobodyElseHolds) {
  const Variable x(x_values());
  const Variable y = sum(neg(x));
  y.backward();
  const void* memory = x.grad().raw_data();
  y.backward();
  EXPECT_EQ(x.grad().raw_data(), memory);
  EXPECT_THAT(x.grad(), IsArray(array::full({3}, -2.0)));
}

// The identity, which notes where the gradient that it returns is in memory.
class Noter final : public FunctionNode {
 public:
  explicit Noter(const void*& memory) : memory_(memory) {}
  std::string_view label() const override { return "Noter"; }
  Arrays forward(const Arrays& in) override { return {in[0] * 1.0}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    Array gx = gy[0].data() * 1.0;
    memory_ = gx.raw_data();
    return {as_variable(std::move(gx))};
  }

 private:
  const void*& memory_;
};

// The addition hands its own gradient to h before the other branch has one.
TEST_F(BackwardTest, AddsASharedGradientInPlaceToOneThatNobodyElseHolds) {
  const void* memory = nullptr;
  const Variable h = neg(Variable(x_values()));
  const Variable y = add(apply<Noter>({h}, memory), h);
  y.set_grad(x_values());
  y.backward({.retain_grad = true});
  EXPECT_EQ(h.grad().raw_data(), memory);
  EXPECT_THAT(h.grad(), IsArray(2.0 * x_values()));
  EXPECT_THAT(y.grad(), IsArray(x_values()));
}

TEST_F(BackwardTest, NeverChangesAGradientThatWasSet) {
  const Variable x(x_values());
  const Array set = x_values();
  x.set_grad(set);
  sum(neg(x)).backward();
  EXPECT_THAT(x.grad(), IsArray(x_values() - 1.0));
  EXPECT_THAT(set, IsArray(x_values()));

  double memory[3] = {1, 2, 3};
  const Variable borrowed(x_values());
  borrowed.set_grad(array::from_data(memory, {3}, Dtype::kFloat64));
  sum(neg(borrowed)).backward();
  EXPECT_THAT(borrowed.grad(), IsArray(x_values() - 1.0));
  EXPECT_EQ(memory[0], 1);
}

// Branch i of a shared gradient must not see what is added to branch j.
TEST_F(BackwardTest, NeverAddsIntoAGradientThatTwoBranchesShare) {
  const Variable x(x_values());
  const Variable a = neg(x);
  const Variable b = neg(x);
  // add hands one Variable to both; a gets a second term before b's step.
  const Variable y = add(add(a, b), add(a, a));
  y.set_grad(x_values());
  y.backward({.retain_grad = true});
  EXPECT_THAT(a.grad(), IsArray(3.0 * x_values()));
  EXPECT_THAT(b.grad(), IsArray(x_values()));
  EXPECT_THAT(y.grad(), IsArray(x_values()));
  EXPECT_THAT(x.grad(), IsArray(-4.0 * x_values()));
}

// The first of two inputs; keeps the array of the gradient that it returns.
class Hoarder final : public FunctionNode {
 public:
  explicit Hoarder(Array& kept) : kept_(kept) {}
  std::string_view label() const override { return "Hoarder"; }
  Arrays forward(const Arrays& in) override { return {in[0] * 1.0}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    kept_ = gy[0].data() * 1.0;
    return {as_variable(kept_), Variable()};
  }

 private:
  Array& kept_;
};

TEST_F(BackwardTest, NeverAddsIntoAnArrayThatAFunctionKeeps) {
  Array kept;
  const Variable x(x_values());
  const Variable h = neg(x);
  const Variable far = neg(neg(neg(h)));
  // The Hoarder comes before the other functions that use h.
  const Variable y = add(apply<Hoarder>({h, far}, kept), neg(h));
  y.set_grad(x_values());
  y.backward();
  EXPECT_THAT(kept, IsArray(x_values()));
  EXPECT_THAT(x.grad(), IsArray(array::zeros({3})));
}

// y = a + 3 b; adds to others' gradients itself.
class Accumulating final : public FunctionNode {
 public:
  enum class Mode { kAdds, kTakesUnwanted, kLoses };

  explicit Accumulating(Mode mode = Mode::kAdds) : mode_(mode) {}
  std::string_view label() const override { return "Accumulating"; }
  Arrays forward(const Arrays& in) override { return {in[0] + 3 * in[1]}; }
  Variables backward(const Indexes& /*wanted*/,
                     const Variables& /*gy*/) override {
    ADD_FAILURE() << "is not called";
    return {};
  }
  Variables backward_accumulate(const Indexes& wanted, const Variables& gy,
                                GradientsSoFar& so_far) override {
    Variables gradients;
    for (const int input : wanted) {
      const Variable sum = so_far.take(input);
      EXPECT_FALSE(so_far.take(input).defined());
      Array gradient = input == 0 ? gy[0].data() : 3 * gy[0].data();
      if (sum.defined()) gradient = gradient + sum.data();
      if (mode_ == Mode::kLoses) gradient = Array();
      gradients.push_back(gradient.defined() ? as_variable(gradient)
                                             : Variable());
    }
    if (mode_ == Mode::kTakesUnwanted) so_far.take(1);
    return gradients;
  }

 private:
  Mode mode_;
};

TEST_F(BackwardTest, AFunctionMayAddToGradientsItself) {
  const auto twice = [](const Variable& x) { return add(x, x); };
  const Variable a(array::full({2}, 1.0));
  const Variable b(array::full({2}, 1.0));
  const Variable inner = twice(a);
  const Variable later = twice(twice(inner));
  // Gradients of the leaf b and of inner arrive before, and after.
  const auto f = [](const Variable& x, const Variable& y) {
    return apply<Accumulating>({x, y});
  };
  Variable y = f(f(inner, b), f(later, b));
  y.set_grad(array::full({2}, 1.0));
  y.backward();
  // y = inner + 3 b + 3 (4 inner + 3 b)
  EXPECT_THAT(a.grad(), IsArray(array::full({2}, 26.0)));
  EXPECT_THAT(b.grad(), IsArray(array::full({2}, 12.0)));
}

TEST_F(BackwardTest, AFunctionMayNotLoseGradientsThatItTakes) {
  const Variable a(array::full({1}, 1.0));
  const auto run = [&](Accumulating::Mode mode) {
    const Variable x = neg(a);
    const Variable b = as_variable(array::full({1}, 1.0));
    // add(x, ...) comes first: it is behind neg(x).
    sum(add(apply<Accumulating>({x, b}, mode), add(x, neg(x)))).backward();
  };
  EXPECT_THAT(
      error_of<ValueError>([&] { run(Accumulating::Mode::kTakesUnwanted); }),
      HasSubstr("input 1, which is not wanted"));
  EXPECT_THAT(error_of<GradientError>([&] { run(Accumulating::Mode::kLoses); }),
              HasSubstr("took the gradient of input 0 and returned none"));
}

class Thrower final : public FunctionNode {
 public:
  explicit Thrower(const bool& throws) : throws_(throws) {}
  std::string_view label() const override { return "Thrower"; }
  Arrays forward(const Arrays& in) override { return {in[0] * 1.0}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    if (throws_) throw std::runtime_error("no gradient today");
    return gy;
  }

 private:
  const bool& throws_;
};

TEST_F(BackwardTest, LeavesNothingHalfDoneWhenAFunctionThrows) {
  bool throws = true;
  const Variable a(x_values());
  const Variable b(x_values());
  const Variable h = neg(a);
  const Variable hb = neg(neg(neg(b)));
  // The branch of b is done, h has a term, when the Thrower comes.
  const Variable y = add(add(apply<Thrower>({h}, throws), h), hb);
  y.set_grad(x_values());
  for (const bool differentiable : {false, true}) {
    EXPECT_THROW(y.backward({.retain_grad = true,
                             .enable_double_backprop = differentiable}),
                 std::runtime_error);
    for (const Variable& v : {a, b, h, hb}) {
      EXPECT_FALSE(v.grad().defined());
    }
    EXPECT_THAT(y.grad(), IsArray(x_values()));
    EXPECT_TRUE(config().enable_backprop);
  }
  throws = false;
  y.backward();
  EXPECT_THAT(a.grad(), IsArray(-2.0 * x_values()));
  EXPECT_THAT(b.grad(), IsArray(-x_values()));
  EXPECT_FALSE(y.grad().defined());
}

TEST_F(BackwardTest, StopsWhereTheGraphWasCut) {
  const Variable x(x_values());
  const Variable h = neg(x);
  const Variable y = sum(neg(h));
  h.unchain();
  y.backward();
  EXPECT_THAT(h.grad(), IsArray(-array::ones({3})));
  EXPECT_FALSE(x.grad().defined());
}

TEST_F(BackwardTest, StartsFromSeveralOutputsAtOnce) {
  const Variable x(x_values());
  const Variable h = neg(x);
  const Variable y = mul(h, h);
  const Variable z = sum(h);
  backward({y, z}, {as_variable(x_values()), Variable()});
  EXPECT_THAT(x.grad(), IsArray(2.0 * x_values() * x_values() - 1.0));
  x.cleargrad();
  // One output lies behind the other, one comes twice.
  backward({y, h, h}, {as_variable(x_values()), as_variable(x_values()),
                       as_variable(x_values())});
  EXPECT_THAT(x.grad(),
              IsArray(2.0 * x_values() * x_values() - 2.0 * x_values()));
}

TEST_F(BackwardTest, AddsAGivenGradientToALeafAmongTheOutputs) {
  const Variable x(x_values());
  const Variable y = sum(x);
  backward({x, y}, {as_variable(x_values()), Variable()});
  EXPECT_THAT(x.grad(), IsArray(x_values() + 1.0));
  const Variable constant = as_variable(x_values());
  backward({constant}, {as_variable(x_values())});
  EXPECT_FALSE(constant.grad().defined());
}

TEST_F(BackwardTest, RejectsWhatItCannotStartFrom) {
  const Variable x(x_values());
  const Variable y = sum(x);
  EXPECT_THAT(error_of<ValueError>([&] {
                backward({y, y}, {Variable()});
              }),
              StrEq("backward: expected 2 grad_outputs, got 1"));
  EXPECT_THAT(error_of<ValueError>([&] {
                backward({y, Variable()});
              }),
              StrEq("backward: output 1 is an undefined variable"));
  EXPECT_THAT(error_of<ValueError>([&] { backward({Parameter(0)}); }),
              StrEq("backward: output 0 is an uninitialized parameter"));
  EXPECT_THAT(error_of<ShapeError>([&] { backward({y}, {x}); }),
              StrEq("grad_outputs: expected a gradient of shape (), got (3,)"));
  EXPECT_FALSE(x.grad().defined());
}

TEST_F(BackwardTest, HandlesEmptyAndZeroDimensionalVariables) {
  const Variable empty(array::zeros({0, 3}));
  sum(testing::exp(empty)).backward();
  EXPECT_THAT(empty.grad(), IsArray(array::zeros({0, 3})));
  const Variable scalar(array::array(2.0));
  mul(scalar, scalar).backward();
  EXPECT_THAT(scalar.grad(), IsArray(array::array(4.0)));
}

TEST_F(BackwardTest, StaysOnTheDeviceOfTheData) {
  const Variable x(x_values().to_device(native_device(1)));
  sum(neg(x)).backward();
  EXPECT_THAT(x.grad(),
              IsArray((-array::ones({3})).to_device(native_device(1))));
}

TEST_F(BackwardTest, WorksInEveryFloatingDtype) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    const Variable x(x_values().astype(dtype));
    sum(mul(x, x)).backward();
    EXPECT_THAT(x.grad(), IsArray((2.0 * x_values()).astype(dtype)));
  }
}

}  // namespace
}  // namespace catena
