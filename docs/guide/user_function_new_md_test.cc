// The code of user_function_new.md: compiled, run, and compared with the page.

#include "catena/docs/guide/user_function_new_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;

class MulAdd : public FunctionNode {
 public:
  std::string_view label() const override { return "muladd"; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});  // x and y; z is not needed again
    return {in[0] * in[1] + in[2]};
  }

  Variables backward(const Indexes& wanted, const Variables& gw) override {
    Variables gradients;
    for (const int i : wanted) {
      if (i == 0) gradients.push_back(gw[0] * retained_input(1));
      if (i == 1) gradients.push_back(gw[0] * retained_input(0));
      if (i == 2) gradients.push_back(gw[0]);
    }
    return gradients;
  }
};

Variable muladd(const Variable& x, const Variable& y, const Variable& z) {
  return apply<MulAdd>({x, y, z});
}

TEST(UserFunctionNewPageTest, ANodeComputesValuesAndGradients) {
  const Variable x(xp::array({1.0, 2.0})), y(xp::array({3.0, 4.0})),
      z(xp::array({5.0, 6.0}));
  const Variable w = muladd(x, y, z);  // 8, 14
  F::sum(w).backward();
  const Array gx = x.grad();  // y
  const Array gz = z.grad();  // ones
  EXPECT_THAT(w.data(), IsArray(xp::array({8.0, 14.0})));
  EXPECT_THAT(gx, IsArray(y.data()));
  EXPECT_THAT(y.grad(), IsArray(x.data()));
  EXPECT_THAT(gz, IsArray(xp::ones({2})));

  // Arrays need no gradient.
  y.cleargrad();
  F::sum(muladd(x.data(), y, z.data())).backward();
  EXPECT_THAT(y.grad(), IsArray(x.data()));
}

class ExpAdd : public FunctionNode {
 public:
  std::string_view label() const override { return "expadd"; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {xp::exp(in[0]) + xp::exp(in[1])};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gz) override {
    return {gz[0] * F::exp(retained_input(0)),
            gz[0] * F::exp(retained_input(1))};
  }
};

// The same with a backward pass on arrays.
class Cut : public ExpAdd {
  Variables backward(const Indexes&, const Variables& gz) override {
    return {gz[0] * F::exp(retained_input(0).data()),
            gz[0] * F::exp(retained_input(1).data())};
  }
};

TEST(UserFunctionNewPageTest, GradientsCanBeDifferentiated) {
  const Variable a(xp::array({0.0, 1.0})), b(xp::array({2.0, 3.0}));
  const Variable c = apply<ExpAdd>({a, b});
  const Variable ga =
      grad({c}, {a}, {.enable_double_backprop = true})[0];  // exp(a)
  const Variable gga = grad({ga}, {a})[0];                  // exp(a) again
  EXPECT_THAT(c.data(), IsClose(xp::exp(a.data()) + xp::exp(b.data())));
  EXPECT_THAT(ga.data(), IsClose(xp::exp(a.data())));
  EXPECT_THAT(gga.data(), IsClose(xp::exp(a.data())));

  const Variable d = apply<Cut>({a, b});
  const Variable gd = grad({d}, {a}, {.enable_double_backprop = true})[0];
  EXPECT_THAT(gd.data(), IsClose(ga.data()));
  EXPECT_FALSE(grad({gd}, {a})[0].defined());
}

class SinCos : public FunctionNode {
 public:
  std::string_view label() const override { return "sincos"; }

  Arrays forward(const Arrays& in) override {
    retain_outputs({0, 1});
    return {xp::sin(in[0]), xp::cos(in[0])};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& g) override {
    const Variable sin = retained_output(0), cos = retained_output(1);
    if (!g[1].defined()) return {g[0] * cos};
    if (!g[0].defined()) return {-g[1] * sin};
    return {g[0] * cos - g[1] * sin};
  }
};

TEST(UserFunctionNewPageTest, GradientsOfUnusedOutputsAreUndefined) {
  const Variable t(xp::array({0.5, 1.5}));
  const Variables sc = apply_all<SinCos>({t});
  F::sum(sc[0]).backward();   // the cosine is not used: g[1] is undefined
  const Array gt = t.grad();  // cos(t)
  EXPECT_THAT(gt, IsClose(xp::cos(t.data())));

  t.cleargrad();
  F::sum(sc[1]).backward();
  EXPECT_THAT(t.grad(), IsClose(-xp::sin(t.data())));
  t.cleargrad();
  F::sum(sc[0] * sc[1]).backward();
  EXPECT_THAT(t.grad(), IsClose(xp::cos(t.data() * 2.0)));
}

// A gradient of the wrong shape.
class Wrong : public ExpAdd {
  Variables backward(const Indexes&, const Variables& gz) override {
    return {F::sum(gz[0]), gz[0]};
  }
};

TEST(UserFunctionNewPageTest, MistakesAreErrors) {
  const Variable a(xp::array({0.0, 1.0}));
  const auto node = Ref<FunctionNode>::adopt(new MulAdd);
  const Variable inputs[] = {a, a, a};
  node->apply(inputs);
  EXPECT_THROW(node->apply(inputs), ValueError);
  EXPECT_THROW(F::sum(apply<Wrong>({a, a})).backward(), Error);

  const Variable w = F::sum(muladd(a, a, a));
  w.backward();
  w.backward();  // twice for one forward
  EXPECT_THAT(a.grad(), IsArray((a.data() * 2 + 1) * 2));
}

TEST(UserFunctionNewPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page(
      "docs/guide/user_function_new.md",
      "docs/guide/user_function_new_md_test.cc", 8);
}

}  // namespace
