#include "catena/autograd/function_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/parameter.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::IsArray;
using ::testing::StrEq;

Array node_inputs() { return array::array({1.0, 2.0, 3.0}); }

// A function whose forward and backward are given by the test.
class Custom final : public FunctionNode {
 public:
  using Forward = std::function<Arrays(Custom&, const Arrays&)>;
  using Backward =
      std::function<Variables(Custom&, const Indexes&, const Variables&)>;

  Custom(Forward forward, Backward backward)
      : forward_(std::move(forward)), backward_(std::move(backward)) {}
  std::string_view label() const override { return "Custom"; }
  Arrays forward(const Arrays& in) override { return forward_(*this, in); }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    return backward_(*this, wanted, gy);
  }

 private:
  Forward forward_;
  Backward backward_;
};

Variables call(std::initializer_list<Variable> inputs, Custom::Forward forward,
               Custom::Backward backward = {}) {
  return apply_all<Custom>({inputs.begin(), inputs.size()}, std::move(forward),
                           std::move(backward));
}

Arrays pass_on(Custom&, const Arrays& in) { return in; }

// What backward throws for y = Custom(x) with such a backward.
auto backward_of(Custom::Backward backward) {
  return [backward] {
    const Variable x(node_inputs());
    const Variable y = call({x}, pass_on, backward)[0];
    y.set_grad(node_inputs());
    y.backward();
  };
}

// Keeps the last function.
class Keeper final : public FunctionHook {
 public:
  std::string_view name() const override { return "Keeper"; }
  void forward_postprocess(const FunctionNode& function,
                           const Arrays&) override {
    kept = Ref<FunctionNode>(const_cast<FunctionNode*>(&function));
  }
  Ref<FunctionNode> kept;
};

TEST(FunctionNodeTest, EndsWithItsCallUnlessTheGraphOrAHookKeepsIt) {
  const auto token = std::make_shared<int>();
  const auto forward = [token](Custom&, const Arrays& in) { return in; };
  const auto functions = [&] { return token.use_count() - 2; };
  const Variable constant = as_variable(node_inputs());
  call({constant}, forward);
  EXPECT_EQ(functions(), 0);
  {
    const Variable y = call({Variable(node_inputs())}, forward)[0];
    EXPECT_EQ(functions(), 1);
  }
  EXPECT_EQ(functions(), 0);
  {
    Keeper keeper;
    const FunctionHookScope hook(keeper);
    call({constant}, forward);
    EXPECT_EQ(functions(), 1);
    EXPECT_EQ(keeper.kept->label(), "Custom");
  }
  EXPECT_EQ(functions(), 0);
}

TEST(FunctionNodeTest, KnowsInForwardWhichGradientsCanBeAskedFor) {
  std::vector<bool> differentiated;
  const auto forward = [&](Custom& self, const Arrays& in) -> Arrays {
    differentiated = {self.is_differentiated(0), self.is_differentiated(1)};
    return {in[0]};
  };
  const Variable x(node_inputs());
  call({x, as_variable(node_inputs())}, forward);
  EXPECT_THAT(differentiated, ElementsAre(true, false));
  const auto scope = no_backprop_mode();
  call({x, as_variable(node_inputs())}, forward);
  EXPECT_THAT(differentiated, ElementsAre(false, false));
}

TEST(FunctionNodeTest, AsksInForwardForInputsThatItHas) {
  const auto ask = [](int index) {
    return error_of<IndexError>([index] {
      call({Variable(node_inputs())},
           [index](Custom& self, const Arrays& in) -> Arrays {
             self.is_differentiated(index);
             return {in[0]};
           });
    });
  };
  EXPECT_THAT(ask(1), "Custom: forward asks for input 1, but there are only 1");
  EXPECT_THAT(ask(-1),
              "Custom: forward asks for input -1, but there are only 1");
}

// Says which forward was called.
class TwoForwards final : public FunctionNode {
 public:
  std::string_view label() const override { return "TwoForwards"; }
  Arrays forward_cpu(const Arrays& in) override { return {1.0 * in[0]}; }
  Arrays forward_gpu(const Arrays& in) override { return {2.0 * in[0]}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0]};
  }
};

class NoForward final : public FunctionNode {
 public:
  std::string_view label() const override { return "NoForward"; }
  Variables backward(const Indexes&, const Variables&) override { return {}; }
};

TEST(FunctionNodeTest, HasAForwardForEachKindOfDevice) {
  EXPECT_THAT(apply<TwoForwards>({Variable(node_inputs())}).data(),
              IsArray(node_inputs()));
  EXPECT_THAT(error_of<NotImplementedError>(
                  [] { apply<NoForward>({Variable(node_inputs())}); }),
              HasSubstr("NoForward: expected the class to override forward "
                        "or forward_cpu"));
}

TEST(FunctionNodeTest, LinksInputsAndOutputs) {
  const testing::ExpectNoSurvivors survivors;
  const Variable a(node_inputs());
  const Variable b(node_inputs());
  const Variables outputs = testing::add_sub(testing::neg(a), b);
  ASSERT_EQ(outputs.size(), 2);
  FunctionNode* function = outputs[0].creator_node();
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(outputs[1].creator_node(), function);
  EXPECT_EQ(function->label(), "add_sub");
  EXPECT_EQ(function->rank(), 1);
  EXPECT_EQ(outputs[0].rank(), 2);
  ASSERT_EQ(function->inputs().size(), 2);
  EXPECT_EQ(function->inputs()[1].get(), b.node());
  EXPECT_THAT(function->outputs(),
              ElementsAre(outputs[0].node(), outputs[1].node()));
  EXPECT_THAT(outputs[1].data(), IsArray(-node_inputs() - node_inputs()));
}

TEST(FunctionNodeTest, TakesItsInputsInBraces) {
  const testing::ExpectNoSurvivors survivors;
  const Variable a(node_inputs());
  const Variable b(node_inputs());
  const Custom::Backward none;
  const Variables both = apply_all<Custom>({a, b}, pass_on, none);
  ASSERT_EQ(both.size(), 2);
  EXPECT_EQ(both[0].creator_node()->inputs()[1].get(), b.node());
  EXPECT_EQ(apply_all<Custom>({a}, pass_on, none).size(), 1);
  EXPECT_THAT(apply<Custom>({b}, pass_on, none).data(), IsArray(node_inputs()));
}

TEST(FunctionNodeTest, ForgetsOutputsThatAreGone) {
  const testing::ExpectNoSurvivors survivors;
  const Variable a(node_inputs());
  Variables outputs = testing::add_sub(a, a);
  outputs[1] = Variable();
  EXPECT_THAT(outputs[0].creator_node()->outputs(),
              ElementsAre(outputs[0].node(), nullptr));
}

TEST(FunctionNodeTest, LetsArraysThatAreNotRetainedDieEarly) {
  constexpr int64_t kBytes = 1 << 16;
  const testing::ExpectNoSurvivors survivors;
  const auto large = [] { return array::ones({kBytes / 8}); };
  const auto count = [&] { return survivors.bytes() / kBytes; };

  // neg and add retain nothing: only the result is left.
  Variable y = testing::add(testing::neg(Variable(large())),
                            testing::neg(Variable(large())));
  EXPECT_EQ(count(), 1);
  // exp keeps its output, which is the result.
  y = testing::exp(Variable(large()));
  EXPECT_EQ(count(), 1);
  // A product keeps both factors.
  y = testing::mul(testing::neg(Variable(large())), Variable(large()));
  EXPECT_EQ(count(), 3);
  // With a constant, nobody can ask for what the other factor is read for.
  y = testing::mul(testing::neg(Variable(large())), as_variable(large()));
  EXPECT_EQ(count(), 2);
  y = testing::mul(as_variable(large()), testing::neg(Variable(large())));
  EXPECT_EQ(count(), 2);
  // Without a graph nothing is kept.
  const auto scope = no_backprop_mode();
  y = testing::mul(testing::neg(Variable(large())), Variable(large()));
  EXPECT_EQ(count(), 1);
}

TEST(FunctionNodeTest, GivesRetainedInputsAndOutputsToBackward) {
  const testing::ExpectNoSurvivors survivors;
  const Variable a(node_inputs());
  int calls = 0;
  // The second input and output have no handle left when backward comes.
  Variable y = call(
      {a, Variable(2.0 * node_inputs())},
      [](Custom& self, const Arrays& in) -> Arrays {
        self.retain_inputs({1});
        self.retain_outputs({0, 1});
        return {in[0] * in[1], in[0] + in[1]};
      },
      [&](Custom& self, const Indexes& wanted,
          const Variables& gy) -> Variables {
        ++calls;
        EXPECT_THAT(wanted, ElementsAre(0));
        EXPECT_THAT(self.retained_input(1).data(),
                    IsArray(2.0 * node_inputs()));
        // A leaf that nobody holds takes no part in further differentiation.
        EXPECT_FALSE(self.retained_input(1).requires_grad());
        EXPECT_EQ(self.retained_output(0).node(), self.outputs()[0]);
        const Variable second = self.retained_output(1);
        EXPECT_THAT(second.data(), IsArray(3.0 * node_inputs()));
        EXPECT_EQ(second.creator_node(), &self);
        EXPECT_TRUE(second.is_same(self.retained_output(1)));
        EXPECT_THAT(
            error_of<GradientError>([&] { self.retained_input(0); }),
            StrEq("Custom: backward requests input 0, which forward did "
                  "not retain"));
        return {testing::mul(gy[0], self.retained_input(1))};
      })[0];
  testing::sum(y).backward();
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(a.grad(), IsArray(2.0 * node_inputs()));
}

TEST(FunctionNodeTest, RejectsToRetainWhatIsNotThere) {
  EXPECT_THAT(error_of<IndexError>([] {
                call({Variable(node_inputs())},
                     [](Custom& self, const Arrays& in) {
                       self.retain_inputs({1});
                       return in;
                     });
              }),
              StrEq("Custom: forward retains input 1, but there are only 1"));
  EXPECT_THAT(error_of<IndexError>([] {
                call({Variable(node_inputs())},
                     [](Custom& self, const Arrays& in) {
                       self.retain_outputs({-1});
                       return in;
                     });
              }),
              HasSubstr("retains output -1"));
}

TEST(FunctionNodeTest, IsAppliedOnce) {
  const auto node = Ref<FunctionNode>::adopt(new Custom(pass_on, {}));
  const Variable inputs[] = {Variable(node_inputs())};
  node->apply(inputs);
  EXPECT_THAT(error_of<ValueError>([&] { node->apply(inputs); }),
              StrEq("Custom: a function node can be applied only once"));
}

TEST(FunctionNodeTest, MayBeAppliedAfterAForwardThatThrew) {
  const testing::ExpectNoSurvivors survivors;
  bool throws = true;
  const auto node = Ref<FunctionNode>::adopt(new Custom(
      [&](Custom& self, const Arrays& in) -> Arrays {
        self.retain_inputs({0});
        self.retain_outputs({throws ? 7 : 0});
        if (throws) raise<ValueError>("not yet");
        return {in[0] * in[0]};
      },
      [](Custom& self, auto&, const Variables& gy) -> Variables {
        EXPECT_THAT(self.retained_output_array(0),
                    IsArray(array::full({3}, 4.0)));
        return {testing::mul(gy[0], self.retained_input(0))};
      }));
  const Variable other[] = {Variable(node_inputs())};
  EXPECT_THROW(node->apply(other), ValueError);
  throws = false;
  const Variable x[] = {Variable(array::array({2.0, 2.0, 2.0}))};
  const Variable y = node->apply(x)[0];
  EXPECT_THAT(y.data(), IsArray(array::full({3}, 4.0)));
  y.set_grad(array::ones({3}));
  y.backward();
  EXPECT_THAT(x[0].grad(), IsArray(x[0].data()));
}

TEST(FunctionNodeTest, RejectsUndefinedAndUninitializedInputs) {
  const Variable x(node_inputs());
  EXPECT_THAT(error_of<ValueError>([&] { testing::add(x, Variable()); }),
              StrEq("add: input 1 is an undefined variable"));
  EXPECT_THAT(error_of<ValueError>([&] { testing::add(Parameter(0), x); }),
              StrEq("add: input 0 is an uninitialized parameter"));
}

TEST(FunctionNodeTest, RejectsInputsOnSeveralDevices) {
  const Variable a(node_inputs());
  const Variable b(node_inputs().to_device(native_device(1)));
  EXPECT_THAT(error_of<DeviceError>([&] { testing::add(a, b); }),
              StrEq("add: expected inputs on one device, got native:0 and "
                    "native:1"));
}

TEST(VolatilityTest, OfInputsDecidesWhetherAGraphIsRecorded) {
  const Variable on(node_inputs(), {.volatility = Flag::kOn});
  const Variable off(node_inputs());
  const Parameter parameter(node_inputs());
  EXPECT_EQ(off.volatility(), Flag::kOff);
  EXPECT_EQ(parameter.volatility(), Flag::kAuto);
  EXPECT_EQ(as_variable(node_inputs()).volatility(), Flag::kAuto);

  const Variable y = testing::mul(testing::exp(on), parameter);
  EXPECT_EQ(y.volatility(), Flag::kOn);
  EXPECT_EQ(y.creator_node(), nullptr);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_EQ(testing::add(off, parameter).volatility(), Flag::kOff);
  EXPECT_NE(testing::exp(parameter).creator_node(), nullptr);
  EXPECT_EQ(testing::exp(parameter).volatility(), Flag::kAuto);
  EXPECT_THAT(
      error_of<ValueError>([&] { testing::add(on, off); }),
      HasSubstr("add: expected inputs whose volatility is not both on and "
                "off"));
  off.set_volatility(Flag::kOn);
  EXPECT_EQ(testing::add(on, off).creator_node(), nullptr);
}

TEST(VolatilityTest, IsAggregated) {
  using enum Flag;
  const auto aggregate = [](std::initializer_list<Flag> flags) {
    return aggregate_flags(std::span(flags.begin(), flags.size()));
  };
  EXPECT_EQ(aggregate({}), kAuto);
  EXPECT_EQ(aggregate({kAuto, kOn, kAuto}), kOn);
  EXPECT_EQ(aggregate({kOff, kAuto}), kOff);
  EXPECT_THROW(aggregate({kOff, kAuto, kOn}), ValueError);
}

TEST(FunctionNodeTest, RejectsAnUndefinedResult) {
  EXPECT_THAT(error_of<ValueError>([] {
                call(
                    {Variable(node_inputs())},
                    [](Custom&, const Arrays&) -> Arrays { return {Array()}; });
              }),
              StrEq("Custom: forward returned an undefined array"));
}

TEST(FunctionNodeTest, TakesNoInputsAndReturnsNoOutputs) {
  EXPECT_TRUE(call({}, pass_on).empty());
}

TEST(FunctionNodeTest, RejectsAWrongNumberOfGradients) {
  EXPECT_THAT(error_of<GradientError>(backward_of(
                  [](auto&, auto&, const Variables& gy) -> Variables {
                    return {gy[0], gy[0], gy[0]};
                  })),
              StrEq("Custom: backward returned 3 gradients, expected 1"));
  EXPECT_THAT(error_of<GradientError>(
                  backward_of([](auto&, auto&, auto&) { return Variables{}; })),
              StrEq("Custom: backward returned 0 gradients, expected 1"));
}

TEST(FunctionNodeTest, RejectsAGradientUnlikeItsInput) {
  const auto returning = [](const Array& gradient) {
    return backward_of([gradient](auto&, auto&, auto&) -> Variables {
      return {as_variable(gradient)};
    });
  };
  EXPECT_THAT(error_of<ShapeError>(returning(array::ones({3, 1}))),
              StrEq("Custom: expected a gradient of shape (3,), got (3, 1)"));
  EXPECT_THAT(
      error_of<DtypeError>(returning(array::ones({3}, Dtype::kFloat32))),
      StrEq("Custom: expected a gradient of dtype float64, got "
            "float32"));
  EXPECT_THAT(error_of<DeviceError>(
                  returning(node_inputs().to_device(native_device(2)))),
              StrEq("Custom: expected a gradient on native:0, got native:2"));
}

TEST(FunctionNodeTest, AcceptsNoGradientAndGradientsOfAllInputs) {
  const Variable a(node_inputs());
  const Variable b = as_variable(node_inputs());
  const Variable y =
      call({a, b, b}, pass_on,
           [](auto&, const Indexes& wanted, const Variables& gy) {
             EXPECT_THAT(wanted, ElementsAre(0));
             return Variables{gy[0], gy[0], Variable()};
           })[0];
  y.set_grad(node_inputs());
  y.backward();
  EXPECT_THAT(a.grad(), IsArray(node_inputs()));
  EXPECT_FALSE(b.grad().defined());

  EXPECT_NO_THROW(
      backward_of([](auto&, auto&, auto&) -> Variables { return {{}}; })());
}

TEST(FunctionNodeTest, AsksOnlyForGradientsThatSomebodyCanUse) {
  int calls = 0;
  const auto expecting = [&](const std::vector<int>& expected) {
    return [&calls, expected](auto&, const Indexes& wanted, auto&) {
      ++calls;
      EXPECT_THAT(wanted, ElementsAreArray(expected));
      return Variables(wanted.size());
    };
  };
  const auto run = [](const Variables& y) {
    y[0].set_grad(array::ones_like(y[0].data()));
    y[0].backward();
  };
  const Variable x(node_inputs());
  const Variable constant = as_variable(node_inputs());
  const Variable integers(array::array({1, 2, 3}));
  run(call({x, constant, integers, x}, pass_on, expecting({0, 3})));
  EXPECT_EQ(calls, 1);
  // A leaf that nobody holds can't be asked for its gradient later.
  const Variables y =
      call({Variable(node_inputs()), testing::neg(x)}, pass_on, expecting({1}));
  run(y);
  EXPECT_EQ(calls, 2);
  const Variables nothing =
      call({Variable(node_inputs())}, pass_on, expecting({}));
  run(nothing);
  EXPECT_EQ(calls, 2);
}

TEST(FunctionNodeTest, RecordsNothingWhereNoInputRequiresAGradient) {
  const testing::ExpectNoSurvivors survivors;
  const Variable a = as_variable(node_inputs());
  const Variable y = testing::add(a, a);
  EXPECT_EQ(y.creator_node(), nullptr);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_TRUE(testing::add(a, Variable(node_inputs())).requires_grad());
}

TEST(FunctionNodeTest, CutsItselfOutOfTheGraph) {
  const testing::ExpectNoSurvivors survivors;
  const Variable x(node_inputs());
  const Variables outputs = testing::add_sub(testing::exp(x), x);
  const Ref<FunctionNode> function(outputs[0].creator_node());
  function->unchain();
  EXPECT_TRUE(function->inputs().empty());
  EXPECT_THAT(function->outputs(), ElementsAre(nullptr, nullptr));
  for (const Variable& y : outputs) EXPECT_EQ(y.creator_node(), nullptr);
  EXPECT_THAT(outputs[1].data(),
              IsArray(array::exp(node_inputs()) - node_inputs()));
}

TEST(FunctionNodeTest, MayCutItselfOutDuringBackward) {
  const testing::ExpectNoSurvivors survivors;
  const Variable x(node_inputs());
  const Variable y =
      call({x}, pass_on, [](Custom& self, auto&, const Variables& gy) {
        self.unchain();
        return gy;
      })[0];
  testing::sum(y).backward();
  EXPECT_FALSE(x.grad().defined());
}

TEST(VariableNodeTest, LeavesItsOldFunctionForANewOne) {
  const testing::ExpectNoSurvivors survivors;
  const Variable x(node_inputs());
  const Variables first = testing::add_sub(x, x);
  {
    const Variable second = testing::neg(x);
    first[1].node()->set_creator(second.creator_node(), 0);
    first[1].unchain();
  }
  EXPECT_THAT(first[0].creator_node()->outputs(),
              ElementsAre(first[0].node(), nullptr));
}

}  // namespace
}  // namespace catena
