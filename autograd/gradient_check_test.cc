#include "catena/autograd/gradient_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <tuple>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/tests/testing/error_of.h"

namespace catena::gradient_check {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

const Array kX = array::array({{0.5, -1.0, 2.0}, {1.5, 0.25, -0.75}});
const Array kGy = array::array({{1.0, 2.0, -1.0}, {0.5, -0.25, 3.0}});
const Array kGgx = array::array({{-1.0, 0.5, 1.0}, {2.0, 1.0, -0.5}});

// x^3 with a backward that can be made wrong.
enum class Flaw {
  kNone,
  kSign,           // -gx
  kOneElement,     // a wrong element
  kCutGraph,       // right gradient, computed on arrays
  kNoGradient,     // none
  kWritesInput,    // forward writes to x
  kWritesGradient  // backward writes to gy
};

class Cube final : public FunctionNode {
 public:
  explicit Cube(Flaw flaw) : flaw_(flaw) {}
  std::string_view label() const override { return "Cube"; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    if (flaw_ == Flaw::kWritesInput) in[0] *= 2.0;
    return {in[0] * in[0] * in[0]};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    const Variable three = as_variable(array::full_like(x.data(), 3));
    switch (flaw_) {
      case Flaw::kSign:
        return {testing::neg(right_gradient(x, three, gy[0]))};
      case Flaw::kOneElement: {
        const Array off = array::ones_like(x.data());
        off[{1, 2}].fill(1.01);
        return {
            testing::mul(right_gradient(x, three, gy[0]), as_variable(off))};
      }
      case Flaw::kCutGraph:
        return {as_variable(3 * x.data() * x.data() * gy[0].data())};
      case Flaw::kNoGradient:
        return {Variable()};
      case Flaw::kWritesGradient:
        gy[0].data() *= 2.0;
        break;
      default:
        break;
    }
    return {right_gradient(x, three, gy[0])};
  }

 private:
  static Variable right_gradient(const Variable& x, const Variable& three,
                                 const Variable& gy) {
    return testing::mul(testing::mul(three, testing::mul(x, x)), gy);
  }

  Flaw flaw_;
};

auto cube(Flaw flaw) {
  return [flaw](const Variable& x) { return apply<Cube>({x}, flaw); };
}

TEST(NumericalGradTest, GivesTheDerivativeOfEachElement) {
  const Array x = kX.copy();
  const auto gradients =
      numerical_grad([&] { return x * x * x; }, {x}, {kGy}, {.eps = 1e-4});
  ASSERT_EQ(gradients.size(), 1);
  EXPECT_EQ(gradients[0].shape(), x.shape());
  EXPECT_THAT(to_doubles(gradients[0]),
              Pointwise(DoubleNear(1e-6), to_doubles(3.0 * kX * kX * kGy)));
}

TEST(NumericalGradTest, RestoresTheInputs) {
  const Array x = kX.copy();
  numerical_grad([&] { return x * x; }, {x}, {kGy});
  EXPECT_EQ(to_doubles(x), to_doubles(kX));
}

TEST(NumericalGradTest, RestoresTheInputsWhenTheFunctionThrows) {
  const Array x = kX.copy();
  int calls = 0;
  const auto f = [&] {
    if (++calls == 3) throw std::runtime_error("no more");
    return x * x;
  };
  EXPECT_THROW(numerical_grad(f, {x}, {kGy}), std::runtime_error);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(to_doubles(x), to_doubles(kX));
}

TEST(NumericalGradTest, SumsOverOutputsAndLeavesOutUndefinedOnes) {
  const Array x = kX.copy();
  const auto f = [&] { return std::tuple(x * 2.0, x * 5.0, -x); };
  const auto gradients = numerical_grad(f, {x}, {kGy, Array(), kGy});
  EXPECT_THAT(to_doubles(gradients[0]),
              Pointwise(DoubleNear(1e-9), to_doubles(kGy)));
}

TEST(NumericalGradTest, GivesNoGradientForIntegers) {
  const Array x = kX.copy();
  const Array n = array::array({1, 2, 3});
  const auto gradients = numerical_grad([&] { return x * n; }, {n, x}, {kGy});
  EXPECT_FALSE(gradients[0].defined());
  EXPECT_THAT(to_doubles(gradients[1]),
              Pointwise(DoubleNear(1e-9), to_doubles(kGy * n)));
}

TEST(NumericalGradTest, HandlesStridedZeroDimensionalAndEmptyInputs) {
  const Array base = array::arange(12.0).reshape({4, 3});
  const Array strided = base[{Slice(0, 4, 2)}];
  const Array scalar = array::full({}, 3.0);
  const Array empty = array::zeros({0, 3});
  const auto gradients = numerical_grad([&] { return strided * scalar; },
                                        {strided, scalar, empty}, {kGy});
  EXPECT_THAT(to_doubles(gradients[0]),
              Pointwise(DoubleNear(1e-9), to_doubles(3.0 * kGy)));
  const std::vector<double> weighted = to_doubles(strided * kGy);
  double sum = 0;
  for (const double value : weighted) sum += value;
  EXPECT_NEAR(gradients[1].item<double>(), sum, 1e-9);
  EXPECT_EQ(gradients[2].shape(), Shape({0, 3}));
  EXPECT_EQ(to_doubles(base), to_doubles(array::arange(12.0)));
}

TEST(NumericalGradTest, DividesByTheStepThatTheDtypeAllows) {
  // 1e-3 is no multiple of float16's resolution near 2.
  const Array x = array::array({2.0}).astype(Dtype::kFloat16);
  const auto f = [&] { return x.astype(Dtype::kFloat64) * 3.0; };
  const auto gradients = numerical_grad(f, {x}, {array::ones({1})});
  EXPECT_EQ(gradients[0].dtype(), Dtype::kFloat16);
  EXPECT_NEAR(gradients[0].item<double>(), 3.0, 1e-3);
}

TEST(NumericalGradTest, RejectsWhatItCannotCompute) {
  const Array x = kX.copy();
  const auto f = [&] { return x * x; };
  EXPECT_THAT(error_of<ValueError>([&] { numerical_grad(f, {x}, {}); }),
              HasSubstr("expected a gradient for each of 1 outputs, got 0"));
  EXPECT_THAT(
      error_of<ShapeError>([&] { numerical_grad(f, {x}, {array::ones({2})}); }),
      HasSubstr("expected grad_outputs[0] of shape (2, 3), got (2,)"));
  EXPECT_THAT(
      error_of<ValueError>([&] { numerical_grad(f, {x}, {kGy}, {.eps = 0}); }),
      HasSubstr("expected eps > 0, got 0"));
  Array large = array::array({1e4}).astype(Dtype::kFloat16);
  EXPECT_THAT(error_of<ValueError>([&] {
                numerical_grad([&] { return large; }, {large},
                               {array::ones({1})});
              }),
              HasSubstr("expected an eps that changes the float16 element"));
  Array repeated = array::ones({1}).broadcast_to({3});
  EXPECT_THROW(
      numerical_grad([&] { return repeated; }, {repeated}, {array::ones({3})}),
      ValueError);
}

TEST(NumericalGradTest, DetectsAKinkWithinEps) {
  for (const double kink : {-9e-4, -5e-4, -1e-4, 0.0, 3.3e-4, 5e-4, 7e-4}) {
    const Array x = array::array({1.0 + kink});
    const auto f = [&] { return array::absolute(x - 1.0); };
    const Array gy = array::ones({1});
    EXPECT_THROW(
        numerical_grad(f, {x}, {gy}, {.detect_nondifferentiable = true}),
        NondifferentiableError)
        << kink;
    EXPECT_EQ(x.item<double>(), 1.0 + kink);
  }
}

TEST(NumericalGradTest, TakesTheCentersValuesAsGiven) {
  const Array x = array::array({1.0, 2.0});
  int calls = 0;
  const auto f = [&] {
    ++calls;
    return x * x;
  };
  const Array gy = array::ones({2});
  const auto calls_with = [&](const NumericalGradOptions& options) {
    calls = 0;
    numerical_grad(f, {x}, {gy}, options);
    return calls;
  };
  EXPECT_EQ(calls_with({.detect_nondifferentiable = true}), 2 * 5);
  EXPECT_EQ(
      calls_with({.detect_nondifferentiable = true, .center_outputs = {x * x}}),
      2 * 4);
  EXPECT_THROW(calls_with({.detect_nondifferentiable = true,
                           .center_outputs = {x * x + 0.5}}),
               NondifferentiableError);
  EXPECT_THAT(
      error_of<ValueError>([&] {
        calls_with({.center_outputs = {x, x}});
      }),
      HasSubstr("expected a gradient for each of 2 center_outputs, got 1"));
  EXPECT_THAT(
      error_of<ShapeError>(
          [&] { calls_with({.center_outputs = {array::ones({3})}}); }),
      HasSubstr("expected grad_outputs[0] of shape (3,), got (2,) for the "
                "center_outputs"));
}

TEST(NumericalGradTest, TakesSmoothFunctionsForSmooth) {
  for (const double at : {-2.0, 0.0, 1e-3, 5.0}) {
    const Array x = array::array({at, at});
    const auto f = [&] { return array::exp(x) + x * x * x - x; };
    EXPECT_NO_THROW(numerical_grad(f, {x}, {array::ones({2})},
                                   {.detect_nondifferentiable = true}))
        << at;
  }
  const Array x = array::array({1.0}).astype(Dtype::kFloat32);
  EXPECT_NO_THROW(numerical_grad(
      [&] { return array::exp(x); }, {x}, {array::ones({1}, Dtype::kFloat32)},
      {.eps = 1e-2, .detect_nondifferentiable = true}));
}

TEST(NumericalDerivativeTest, FollowsADirection) {
  const Array x = kX.copy();
  const Array direction = kGgx;
  const double derivative =
      numerical_derivative([&] { return x * x; }, {x}, {direction}, {kGy});
  double expected = 0;
  const auto terms = to_doubles(2.0 * kX * direction * kGy);
  for (const double term : terms) expected += term;
  EXPECT_NEAR(derivative, expected, 1e-9);
  EXPECT_EQ(to_doubles(x), to_doubles(kX));
}

TEST(CheckBackwardTest, AcceptsARightGradient) {
  EXPECT_NO_THROW(check_backward(cube(Flaw::kNone), {kX}, {kGy}));
  EXPECT_NO_THROW(check_backward(testing::exp, {kX}, {kGy}));
  EXPECT_NO_THROW(check_backward(testing::mul, {kX, kGgx}, {kGy}));
}

TEST(CheckBackwardTest, TellsWhereAGradientIsWrong) {
  EXPECT_THAT(
      error_of<GradientError>(
          [] { check_backward(cube(Flaw::kOneElement), {kX}, {kGy}); }),
      AllOf(HasSubstr("check_backward: the gradient of input 0 is wrong: 1 of "
                      "6 elements differ, max error 0.0506"),
            HasSubstr("at (1, 2): expected 5.06"), HasSubstr("got 5.11"),
            HasSubstr("\nexpected (numerical): float64 (2, 3) [0.75"),
            HasSubstr("\nactual (backward): float64 (2, 3) [0.75"),
            HasSubstr("\ninput 0: float64 (2, 3) [0.5, -1, 2, 1.5, 0.25, "
                      "-0.75]"),
            HasSubstr("\ny_grad 0: float64 (2, 3) [1, 2,")));
}

TEST(CheckBackwardTest, FindsAWrongSignAndAMissingGradient) {
  EXPECT_THROW(check_backward(cube(Flaw::kSign), {kX}, {kGy}), GradientError);
  EXPECT_THAT(error_of<GradientError>(
                  [] { check_backward(cube(Flaw::kNoGradient), {kX}, {kGy}); }),
              HasSubstr("actual (backward): none"));
}

TEST(CheckBackwardTest, ComparesDirectionsWhenThereAreManyElements) {
  const CheckOptions options{.max_elements = 5};
  EXPECT_NO_THROW(check_backward(cube(Flaw::kNone), {kX}, {kGy}, {}, options));
  EXPECT_THAT(
      error_of<GradientError>([&] {
        check_backward(cube(Flaw::kOneElement), {kX}, {kGy}, {}, options);
      }),
      HasSubstr("the derivative along random direction 0 of seed 0 is wrong"));
}

TEST(CheckBackwardTest, FindsAFunctionThatWritesToItsInputs) {
  const Array x = kX.copy();
  EXPECT_THAT(error_of<GradientError>([&] {
                check_backward(cube(Flaw::kWritesInput), {x}, {kGy});
              }),
              HasSubstr("input 0 was changed by the function"));
  const Array gy = kGy.copy();
  EXPECT_THAT(error_of<GradientError>([&] {
                check_backward(cube(Flaw::kWritesGradient), {kX}, {gy});
              }),
              HasSubstr("y_grad 0 was changed by the function"));
}

TEST(CheckBackwardTest, TakesCallablesOfManyKinds) {
  const std::vector<Array> three = {kX, kGgx, kGy};
  EXPECT_NO_THROW(check_backward(
      [](const Variables& xs) {
        return testing::mul(xs[0], testing::mul(xs[1], xs[2]));
      },
      three, {kGy}));
  EXPECT_NO_THROW(check_backward(
      [](const Variable& a, const Variable& b, const Variable& c) {
        return std::vector<Variable>{testing::mul(a, b), testing::exp(c)};
      },
      three, {kGy, kGgx}));
  EXPECT_NO_THROW(check_backward(
      [](const Variable& a, const Variable& b, Variable) {
        return std::tuple(testing::add(a, b), testing::mul(a, b));
      },
      three, {kGy, kGgx}));
  EXPECT_NO_THROW(check_backward(testing::add_sub, {kX, kGgx}, {kGy, kGy}));
  EXPECT_THAT(
      error_of<ValueError>([&] { check_backward(testing::add, {kX}, {kGy}); }),
      HasSubstr("expected 2 inputs, as many as the function takes, "
                "got 1"));
}

TEST(CheckBackwardTest, StartsFromOneWhereTheOutputIsAScalar) {
  EXPECT_NO_THROW(check_backward(testing::sum, {kX}));
  EXPECT_THAT(error_of<ValueError>([] { check_backward(testing::exp, {kX}); }),
              HasSubstr("expected y_grad, or a function with one output of one "
                        "element, got 1 outputs of shape (2, 3)"));
  EXPECT_THAT(error_of<ValueError>([] {
                check_backward(testing::add_sub, {kX, kX}, {kGy});
              }),
              HasSubstr("expected 2 y_grad, got 1"));
}

TEST(CheckBackwardTest, LeavesOutOutputsWithoutGradient) {
  EXPECT_NO_THROW(check_backward(testing::add_sub, {kX, kGgx}, {Array(), kGy}));
}

TEST(CheckBackwardTest, AcceptsAFunctionThatReturnsItsInput) {
  EXPECT_NO_THROW(
      check_backward([](const Variable& x) { return x; }, {kX}, {kGy}));
}

// x scaled by integers.
class Scale final : public FunctionNode {
 public:
  std::string_view label() const override { return "Scale"; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({1});
    return {in[0] * in[1]};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    EXPECT_THAT(wanted, ElementsAre(0));
    const Variable n =
        as_variable(retained_input(1).data().astype(gy[0].dtype()));
    return {testing::mul(gy[0], n)};
  }
};

TEST(CheckBackwardTest, SkipsIntegerInputs) {
  const Array n = array::array({{1, 2, 3}, {4, 5, 6}});
  const auto scale = [](const Variable& x, const Variable& n) {
    return apply<Scale>({x, n});
  };
  EXPECT_NO_THROW(check_backward(scale, {kX, n}, {kGy}));
  EXPECT_NO_THROW(
      check_double_backward(scale, {kX, n}, {kGy}, {kGgx, Array()}));
}

TEST(CheckBackwardTest, WantsNoGradientWhereNoGradsSaysSo) {
  const auto only_first = [](const Variable& a, const Variable& b) {
    return testing::mul(a, as_variable(b.data()));
  };
  const CheckOptions options{.no_grads = {false, true}};
  EXPECT_NO_THROW(check_backward(only_first, {kX, kGgx}, {kGy}, {}, options));
  EXPECT_NO_THROW(check_double_backward(only_first, {kX, kGgx}, {kGy},
                                        {kGgx, Array()}, {}, {}, options));
  EXPECT_THAT(error_of<GradientError>([&] {
                check_backward(testing::mul, {kX, kGgx}, {kGy}, {}, options);
              }),
              HasSubstr("expected no gradient for input 1, got float64"));
  EXPECT_THAT(error_of<ValueError>([&] {
                check_backward(testing::exp, {kX}, {kGy}, {}, options);
              }),
              HasSubstr("expected 1 no_grads, got 2"));
}

TEST(CheckBackwardTest, ChecksParametersAndRestoresThem) {
  const Parameter w(kGgx.copy(), "W");
  const Array data = w.data();
  w.set_grad(kGy);
  const auto f = [&](const Variable& x) { return testing::mul(x, w); };
  check_backward(f, {kX}, {kGy}, {w});
  EXPECT_TRUE(w.data().is_same(data));
  EXPECT_EQ(to_doubles(data), to_doubles(kGgx));
  EXPECT_TRUE(w.grad().is_same(kGy));

  const auto detached = [&](const Variable& x) {
    return testing::mul(x, as_variable(w.data()));
  };
  EXPECT_THAT(error_of<GradientError>(
                  [&] { check_backward(detached, {kX}, {kGy}, {w}); }),
              AllOf(HasSubstr("the gradient of parameter 0 W is wrong"),
                    HasSubstr("\nparameter 0: float64 (2, 3) [-1,")));
  EXPECT_TRUE(w.data().is_same(data));
}

TEST(CheckBackwardTest, RestoresParametersWhenTheFunctionThrows) {
  const Parameter w(kGgx.copy());
  const Array data = w.data();
  int calls = 0;
  const auto f = [&](const Variable& x) {
    if (++calls == 4) throw std::runtime_error("no more");
    return testing::mul(x, w);
  };
  EXPECT_THROW(check_backward(f, {kX}, {kGy}, {w}), std::runtime_error);
  EXPECT_TRUE(w.data().is_same(data));
  EXPECT_EQ(to_doubles(data), to_doubles(kGgx));
}

TEST(CheckBackwardTest, InitializesADeferredParameterByTheFunction) {
  const Parameter w{
      Initializer([](const Array& out) { out.fill(2); }, Dtype::kFloat64)};
  const auto f = [&](const Variable& x) {
    w.initialize(x.shape());
    return testing::mul(x, w);
  };
  EXPECT_NO_THROW(check_backward(f, {kX}, {kGy}, {w}));
  const Parameter unused{Initializer(0)};
  EXPECT_THAT(error_of<ValueError>(
                  [&] { check_backward(testing::exp, {kX}, {kGy}, {unused}); }),
              HasSubstr("parameter 0 is uninitialized"));
}

TEST(CheckBackwardTest, ComputesNumericallyInTheGivenDtype) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32}) {
    const Parameter w(kGgx.astype(dtype));
    const auto f = [&](const Variable& x) {
      EXPECT_EQ(x.dtype(), w.dtype());
      return testing::mul(testing::exp(x), w);
    };
    const double tolerance = dtype == Dtype::kFloat32 ? 1e-5 : 5e-2;
    const CheckOptions options{
        .atol = tolerance, .rtol = tolerance, .dtype = Dtype::kFloat64};
    const Array x = kX.astype(dtype);
    const Array gy = kGy.astype(dtype);
    EXPECT_NO_THROW(check_backward(f, {x}, {gy}, {w}, options));
    EXPECT_NO_THROW(
        check_double_backward(f, {x}, {gy}, {gy}, {w}, {gy}, options));
    EXPECT_EQ(w.dtype(), dtype);
  }
}

TEST(CheckBackwardTest, PassesDetectionOfKinksOn) {
  const auto f = [](const Variable& x) {
    const Array sign = array::sign(x.data());
    return testing::mul(x, as_variable(sign));  // |x|
  };
  const Array x = array::array({1.0, 0.0});
  EXPECT_THROW(check_backward(f, {x}, {array::ones({2})}, {},
                              {.detect_nondifferentiable = true}),
               NondifferentiableError);
}

TEST(CheckBackwardTest, RejectsNanInAGradient) {
  const Array x = array::array({1.0, std::nan("")});
  EXPECT_THROW(check_backward(testing::exp, {x}, {array::ones({2})}),
               GradientError);
}

TEST(CheckBackwardTest, RejectsAnUndefinedInput) {
  EXPECT_THAT(error_of<ValueError>(
                  [] { check_backward(testing::exp, {Array()}, {kGy}); }),
              HasSubstr("x_data[0] is undefined"));
}

TEST(CheckDoubleBackwardTest, AcceptsRightSecondGradients) {
  EXPECT_NO_THROW(
      check_double_backward(cube(Flaw::kNone), {kX}, {kGy}, {kGgx}));
  EXPECT_NO_THROW(check_double_backward(testing::exp, {kX}, {kGy}, {kGgx}));
  EXPECT_NO_THROW(
      check_double_backward(testing::mul, {kX, kGgx}, {kGy}, {kGgx, kX}));
  EXPECT_NO_THROW(check_double_backward(testing::add_sub, {kX, kGgx}, {kGy, kX},
                                        {kGgx, kX}));
}

TEST(CheckDoubleBackwardTest, AcceptsLinearFunctionsAndScalars) {
  EXPECT_NO_THROW(
      check_double_backward(testing::add, {kX, kX}, {kGy}, {kGgx, kX}));
  EXPECT_NO_THROW(check_double_backward(testing::sum, {kX}, {}, {kGgx}));
}

TEST(CheckDoubleBackwardTest, FindsABackwardWrittenOnArrays) {
  const auto f = cube(Flaw::kCutGraph);
  EXPECT_NO_THROW(check_backward(f, {kX}, {kGy}));
  EXPECT_THAT(error_of<GradientError>(
                  [&] { check_double_backward(f, {kX}, {kGy}, {kGgx}); }),
              AllOf(HasSubstr("check_double_backward: the gradient of input 0 "
                              "is wrong: 6 of 6"),
                    HasSubstr("actual (backward): none")));
}

// x, with a derivative of 2 by mistake.
class FalseIdentity final : public FunctionNode {
 public:
  std::string_view label() const override { return "FalseIdentity"; }
  Arrays forward(const Arrays& in) override { return {in[0] * 1.0}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {testing::add(gy[0], gy[0])};
  }
};

// x^2 / 2 with the right gradient, gy * x, and a wrong gradient of that.
class HalfSquare final : public FunctionNode {
 public:
  std::string_view label() const override { return "HalfSquare"; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    return {in[0] * in[0] * 0.5};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {
        testing::mul(gy[0], catena::apply<FalseIdentity>({retained_input(0)}))};
  }
};

Variable half_square(const Variable& x) { return apply<HalfSquare>({x}); }

TEST(CheckDoubleBackwardTest, FindsAWrongSecondGradient) {
  EXPECT_NO_THROW(check_backward(half_square, {kX}, {kGy}));
  EXPECT_THAT(error_of<GradientError>([&] {
                check_double_backward(half_square, {kX}, {kGy}, {kGgx});
              }),
              HasSubstr("the gradient of input 0 is wrong"));
  EXPECT_THROW(check_double_backward(half_square, {kX}, {kGy}, {kGgx}, {}, {},
                                     {.max_elements = 1}),
               GradientError);
}

TEST(CheckDoubleBackwardTest, ChecksParameters) {
  const Parameter w(kGgx.copy(), "W");
  const auto f = [&](const Variable& x) {
    return testing::mul(testing::mul(x, w), w);
  };
  EXPECT_NO_THROW(check_double_backward(f, {kX}, {kGy}, {kGgx}, {w}, {kX}));
  const auto wrong = [&](const Variable& x) {
    return testing::add(half_square(w), x);
  };
  EXPECT_THAT(error_of<GradientError>([&] {
                check_double_backward(wrong, {kX}, {kGy}, {kGgx}, {w}, {kX});
              }),
              HasSubstr("the gradient of parameter 0 W is wrong"));
}

TEST(CheckDoubleBackwardTest, WantsAGradientForEachInput) {
  EXPECT_THAT(error_of<ValueError>(
                  [] { check_double_backward(testing::exp, {kX}, {kGy}, {}); }),
              HasSubstr("expected 1 x_grad_grad, got 0"));
  EXPECT_THAT(
      error_of<ValueError>([] {
        check_double_backward(testing::add_sub, {kX, kX}, {kGy}, {kX, kX});
      }),
      HasSubstr("expected 2 y_grad, got 1"));
}

TEST(AssertAllcloseTest, ComparesWithinTheTolerance) {
  const Array x = array::array({1.0, 2.0, std::nan("")});
  EXPECT_NO_THROW(assert_allclose(x, x + 1e-6));
  EXPECT_THAT(error_of<GradientError>([&] { assert_allclose(x, x + 1e-2); }),
              AllOf(HasSubstr("assert_allclose: 2 of 3 elements differ"),
                    HasSubstr("expected: float64 (3,) [1.01, 2.01, nan]")));
  EXPECT_THAT(error_of<GradientError>(
                  [&] { assert_allclose(x, x + 1e-2, {.verbose = false}); }),
              AllOf(HasSubstr("2 of 3 elements differ"),
                    Not(HasSubstr("expected: float64"))));
  EXPECT_NO_THROW(assert_allclose(x, x + 1e-2, {.atol = 0.02}));
  EXPECT_THAT(
      error_of<GradientError>([&] { assert_allclose(x, array::ones({2})); }),
      HasSubstr("expected shape (2,), got (3,)"));
  const double inf = INFINITY;
  EXPECT_NO_THROW(assert_allclose(array::array({inf}), array::array({inf})));
  EXPECT_THROW(assert_allclose(array::array({inf}), array::array({-inf})),
               GradientError);
}

}  // namespace
}  // namespace catena::gradient_check
