// The code of user_function_old.md: compiled, run, and compared with the page.

#include "catena/docs/guide/user_function_old_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class MulAddByDevice : public Function {
 public:
  Arrays forward_cpu(const Arrays& in) override {
    return {in[0] * in[1] + in[2]};
  }
  Arrays backward_cpu(const Arrays& in, const Arrays& gw) override {
    return {in[1] * gw[0], in[0] * gw[0], gw[0]};
  }

  Arrays forward_gpu(const Arrays& in) override {
    return {in[0] * in[1] + in[2]};
  }
  Arrays backward_gpu(const Arrays& in, const Arrays& gw) override {
    return {in[1] * gw[0], in[0] * gw[0], gw[0]};
  }
};

class MulAdd : public Function {
 public:
  Arrays forward(const Arrays& in) override { return {in[0] * in[1] + in[2]}; }
  Arrays backward(const Arrays& in, const Arrays& gw) override {
    return {in[1] * gw[0], in[0] * gw[0], gw[0]};
  }
};

Variable muladd(const Variable& x, const Variable& y, const Variable& z) {
  return apply_function<MulAdd>({x, y, z});
}

class ExpAdd : public Function {
 public:
  Arrays forward(const Arrays& in) override {
    return {xp::exp(in[0]) + xp::exp(in[1])};
  }
  Arrays backward(const Arrays& in, const Arrays& gz) override {
    return {gz[0] * xp::exp(in[0]), gz[0] * xp::exp(in[1])};
  }
};

class Tanh : public Function {
 public:
  Arrays forward(const Arrays& in) override {
    retain_inputs({});
    retain_outputs({0});
    return {xp::tanh(in[0])};
  }
  Arrays backward(const Arrays& /*in*/, const Arrays& gy) override {
    const Array y = output_data(0);
    return {gy[0] * (1 - y * y)};
  }
};

TEST(UserFunctionOldPageTest, BackwardWorksOnArrays) {
  const Variable x(xp::array({1.0, 2.0})), y(xp::array({3.0, 4.0})),
      z(xp::array({5.0, 6.0}));
  const Variable w = muladd(x, y, z);  // 8, 14
  F::sum(w).backward();
  const Array gx = x.grad();  // 3, 4
  EXPECT_THAT(w.data(), IsArray(xp::array({8.0, 14.0})));
  EXPECT_THAT(gx, IsArray(xp::array({3.0, 4.0})));
  EXPECT_THAT(y.grad(), IsArray(x.data()));
  EXPECT_THAT(z.grad(), IsArray(xp::ones({2})));

  x.cleargrad();
  const Variable v = apply_function<MulAddByDevice>({x, y, z});
  F::sum(v).backward();
  EXPECT_THAT(v.data(), IsArray(w.data()));
  EXPECT_THAT(x.grad(), IsArray(gx));
}

TEST(UserFunctionOldPageTest, GradientsAgreeWithFiniteDifferences) {
  const Array a = xp::array({0.1, -0.7}), b = xp::array({0.3, 1.0});
  gradient_check::check_backward(
      [](const Variable& x, const Variable& y) {
        return apply_function<ExpAdd>({x, y});
      },
      {a, b}, {xp::array({1.0, 2.0})});
  gradient_check::check_backward(
      [](const Variable& x) { return apply_function<Tanh>({x}); }, {a},
      {xp::array({1.0, 2.0})});
  EXPECT_THAT(apply_function<ExpAdd>({a, b}).data(),
              IsClose(xp::exp(a) + xp::exp(b)));
}

TEST(UserFunctionOldPageTest, CannotBeDifferentiatedTwice) {
  ::testing::internal::CaptureStdout();
  const Variable v(xp::array({0.5}));
  const Variable y1 = apply_function<Tanh>({v});
  const Variable g1 =
      grad({y1}, {v}, {.enable_double_backprop = true})[0];  // 1 - tanh(0.5)^2
  try {
    grad({g1}, {v});
  } catch (const GradientError& error) {
    std::cout << error.what() << '\n';
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "Tanh: an old-style Function cannot be differentiated twice; "
            "derive it from FunctionNode, whose backward is composed of "
            "functions\n");
  EXPECT_THAT(g1.data(), IsClose(1 - xp::power(xp::tanh(v.data()), 2)));
}

// Only for the GPU.
class NoCpu : public Function {
  Arrays forward_gpu(const Arrays& in) override { return in; }
};

class Split : public Function {
 public:
  Arrays forward(const Arrays& in) override { return {in[0] + 1, in[0] * 2}; }
  Arrays backward(const Arrays& in, const Arrays& gy) override {
    Array gx = xp::zeros_like(in[0]);
    if (gy[0].defined()) gx = gx + gy[0];
    if (gy[1].defined()) gx = gx + gy[1] * 2;
    return {gx};
  }
};

TEST(UserFunctionOldPageTest, MistakesAreErrors) {
  const Variable x(xp::array({1.0, 2.0}));
  EXPECT_THAT([&] { apply_function<NoCpu>({x}); },
              ThrowsMessage<NotImplementedError>(
                  HasSubstr("NoCpu: expected the class to override forward or "
                            "forward_cpu")));
  const auto node = std::make_shared<MulAdd>();
  const Variables first = (*node)({x, x, x});
  EXPECT_THROW((*node)({x, x, x}), ValueError);

  const Variables ys = (*std::make_shared<Split>())({x});
  F::sum(ys[1]).backward();
  EXPECT_THAT(x.grad(), IsArray(xp::array({2.0, 2.0})));
}

TEST(UserFunctionOldPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page(
      "docs/guide/user_function_old.md",
      "docs/guide/user_function_old_md_test.cc", 8);
}

}  // namespace
