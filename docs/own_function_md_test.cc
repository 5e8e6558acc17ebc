// The code of own_function.md: compiled, run, and compared with the page.

#include "catena/docs/own_function_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::HasSubstr;

namespace composed {
Variable softsign(const Variable& x) { return x / (abs(x) + 1); }
}  // namespace composed

// y = x / (1 + |x|), elementwise.
class SoftSign : public FunctionNode {
 public:
  std::string_view label() const override { return "softsign"; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    return {in[0] / (xp::abs(in[0]) + 1)};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] / F::square(abs(x) + 1)};
  }
};

Variable softsign(const Variable& x) { return apply<SoftSign>({x}); }

TEST(OwnFunctionPageTest, DerivesFromFunctionNode) {
  Variable x(xp::array({-3.0, 0.0, 1.0}));
  Variable y = F::sum(softsign(x));
  y.backward();
  Array gx = x.grad();  // 1 / (1 + |x|)^2
  EXPECT_THAT(gx, IsClose(xp::array({0.0625, 1.0, 0.25})));
  EXPECT_THAT(softsign(x).data(), IsClose(composed::softsign(x).data()));

  Variable g =
      grad({F::sum(softsign(x))}, {x}, {.enable_double_backprop = true})[0];
  Variable gg = grad({F::sum(g)}, {x})[0];
  EXPECT_THAT(gg.data()[2], IsClose(xp::array(-0.25)));
}

TEST(OwnFunctionPageTest, ChecksItsInputs) {
  std::string text;
  try {
    softsign(Variable(xp::arange(3).astype(Dtype::kFloat32), {.name = "a"}));
    softsign(as_variable(xp::arange(3)));
  } catch (const InvalidType& error) {
    text = error.what();
  }
  EXPECT_THAT(text, HasSubstr("softsign (Forward)"));
  EXPECT_THAT(text, HasSubstr("Actual: int64"));
}

TEST(OwnFunctionPageTest, IsComparedWithFiniteDifferences) {
  const auto f = [](const Variables& in) -> Variables {
    return {softsign(in[0])};
  };
  const Array x = xp::array({{-2.0, 0.5}, {1.5, 3.0}});
  const Array gy = xp::array({{1.0, -1.0}, {0.5, 2.0}});
  gradient_check::check_backward(f, {x}, {gy});
  gradient_check::check_double_backward(f, {x}, {gy}, {xp::ones({2, 2})});
  EXPECT_THAT(softsign(as_variable(x)).shape(), x.shape());
}

// y = a x + b for arrays of one shape, with every choice that a node has.
class Affine : public FunctionNode {
 public:
  std::string_view label() const override { return "affine"; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [a, x, b] = in.names<3>({"a", "x", "b"});
    in.expect_same_dtype();
    in.expect(a.shape() == x.shape(), x.shape() == b.shape());
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});  // b is not needed
    return {in[0] * in[1] + in[2]};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables gradients;
    for (const int i : wanted) {
      if (i == 0) gradients.push_back(gy[0] * retained_input(1));
      if (i == 1) gradients.push_back(gy[0] * retained_input(0));
      if (i == 2) gradients.push_back(gy[0]);
    }
    return gradients;
  }
};

TEST(OwnFunctionPageTest, ComputesOnlyWhatIsWanted) {
  const Array ones = xp::ones({2});
  Variable x(ones * 3.0);
  Variable y = apply<Affine>({as_variable(ones * 2.0), x, as_variable(ones)});
  EXPECT_THAT(y.data(), IsArray(ones * 7.0));
  F::sum(y).backward();
  EXPECT_THAT(x.grad(), IsArray(ones * 2.0));
  EXPECT_THROW(apply<Affine>({x, x, as_variable(xp::ones({3}))}), InvalidType);
}

struct AddNoise;  // the kind: a name suffices

// x + ratio times normal numbers.
class AddNoiseNode : public FunctionNode {
 public:
  explicit AddNoiseNode(double ratio) : ratio_(ratio) {}

  std::string_view label() const override { return "add_noise"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<AddNoise>({{"ratio", ratio_}});
  }
  bool repeats() const override { return false; }

  Arrays forward(const Arrays& in) override {
    const Array& x = in[0];
    return {x + xp::random::normal(0, ratio_, x.shape(), x.dtype())};
  }
  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    return {gy[0]};
  }

 private:
  double ratio_;
};

TEST(OwnFunctionPageTest, SaysWhatItIs) {
  const Variable x(xp::array({1.0, 2.0}));
  Variable noisy = apply<AddNoiseNode>({x}, 0.1);
  const FunctionDescription said = noisy.creator_node()->description();
  const bool is_noise = said.is<AddNoise>();
  const double ratio = said.number("ratio");
  EXPECT_TRUE(is_noise);
  EXPECT_EQ(ratio, 0.1);
  EXPECT_FALSE(noisy.creator_node()->repeats());
}

class MulAdd : public Function {
 public:
  Arrays forward(const Arrays& x) override { return {x[0] * x[1] + x[2]}; }
  Arrays backward(const Arrays& x, const Arrays& gy) override {
    return {x[1] * gy[0], x[0] * gy[0], gy[0]};
  }
};

TEST(OwnFunctionPageTest, MayWorkOnArraysBothWays) {
  const Variable a(xp::array({2.0})), b(xp::array({3.0})), c(xp::array({4.0}));
  Variable z = apply_function<MulAdd>({a, b, c});
  z.backward();
  EXPECT_THAT(z.data(), IsArray(xp::array({10.0})));
  EXPECT_THAT(a.grad(), IsArray(xp::array({3.0})));
}

TEST(OwnFunctionPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/own_function.md",
                                       "docs/own_function_md_test.cc", 8);
}

}  // namespace
