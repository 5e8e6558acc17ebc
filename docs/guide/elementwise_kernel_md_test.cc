// The code of elementwise_kernel.md: compiled, run, and compared with the page.

#include "catena/docs/guide/elementwise_kernel_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class MulAddGrad : public FunctionNode {
 public:
  std::string_view label() const override { return "muladd_grad"; }

  // Takes x, y and gw.
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1, 2});
    const std::vector<Array> g =
        xp::elementwise("T x, T y, T gw", "T gx, T gy",
                        "gx = y * gw; gy = x * gw", "muladd_bwd")
            .call({in[0], in[1], in[2]});
    return {g[0], g[1]};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gg) override {
    const Variable x = retained_input(0), y = retained_input(1),
                   gw = retained_input(2);
    if (!gg[0].defined()) return {gg[1] * gw, Variable(), gg[1] * x};
    if (!gg[1].defined()) return {Variable(), gg[0] * gw, gg[0] * y};
    return {gg[1] * gw, gg[0] * gw, gg[0] * y + gg[1] * x};
  }
};

class MulAdd : public FunctionNode {
 public:
  std::string_view label() const override { return "muladd"; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, y, z] = in.names<3>({"x", "y", "z"});
    in.expect_same_dtype();
    in.expect(x.shape() == y.shape(), y.shape() == z.shape());
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {xp::elementwise("T x, T y, T z", "T w", "w = x * y + z",
                            "muladd_fwd")(in[0], in[1], in[2])};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gw) override {
    const Variables g = catena::apply_all<MulAddGrad>(
        {retained_input(0), retained_input(1), gw[0]});
    return {g[0], g[1], gw[0]};
  }
};

TEST(ElementwiseKernelPageTest, ATextIsALoop) {
  const Array x = xp::array({1.0f, 2.0f}), y = xp::array({3.0f, 4.0f}),
              z = xp::array({5.0f, 6.0f});
  const xp::ElementwiseKernel muladd(
      "float32 x, float32 y, float32 z",  // inputs
      "float32 w",                        // outputs
      "w = x * y + z",                    // the body
      "muladd_fwd");                      // its name
  const Array w = muladd(x, y, z);
  EXPECT_THAT(w, IsArray(x * y + z));
  EXPECT_THAT(muladd(x, 2, z), IsArray(x * 2 + z));

  const xp::ElementwiseKernel any_muladd("T x, T y, T z", "T w",
                                         "w = x * y + z", "muladd_fwd");
  const Array floats = any_muladd(x, y, z);
  const Array doubles = any_muladd(x.astype(Dtype::kFloat64), 2, 1);
  EXPECT_THAT(floats, IsArray(w));
  EXPECT_THAT(doubles, IsArray(xp::array({3.0, 5.0})));

  const Array same = xp::elementwise(
      [](float x, float y, float z) { return x * y + z; }, x, y, z);
  EXPECT_THAT(same, IsArray(w));
  EXPECT_THROW(any_muladd(x, y.astype(Dtype::kFloat64), z), DtypeError);
}

TEST(ElementwiseKernelPageTest, TwoKernelsAreAFunction) {
  const Array a = xp::array({{1.0, -2.0}, {0.5, 3.0}});
  const Array b = xp::array({{0.3, 0.2}, {-1.5, 1.0}});
  const Array c = xp::array({{2.0, 1.0}, {4.0, -1.0}});
  const Array gw = xp::array({{1.0, 2.0}, {-1.0, 0.5}});
  const auto f = [](const Variable& a, const Variable& b, const Variable& c) {
    return apply<MulAdd>({a, b, c});
  };
  gradient_check::check_backward(f, {a, b, c}, {gw});
  gradient_check::check_double_backward(f, {a, b, c}, {gw}, {a, b, c});
  EXPECT_THAT(f(a, b, c).data(), IsClose(a * b + c));
  EXPECT_THROW(f(a, b, xp::ones({2})), InvalidType);

  // Only one of the two gradients.
  const Variable x(a), y(b);
  const Variable gx =
      grad({F::sum(f(x, y, c))}, {x}, {.enable_double_backprop = true})[0];
  EXPECT_THAT(grad({F::sum(gx)}, {y})[0].data(), IsArray(xp::ones({2, 2})));
}

TEST(ElementwiseKernelPageTest, MistakesAreErrors) {
  const Array x = xp::array({1.0f, 2.0f});
  EXPECT_THROW(xp::ElementwiseKernel("T n", "T y", "y = n"), ValueError);
  EXPECT_THROW(xp::ElementwiseKernel("T _x", "T y", "y = _x"), ValueError);
  const xp::ElementwiseKernel wrong("T x", "T y", "y = squared(x)", "wrong");
  EXPECT_THAT([&] { wrong(x); },
              ThrowsMessage<CompileError>(HasSubstr("squared")));
}

TEST(ElementwiseKernelPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page(
      "docs/guide/elementwise_kernel.md",
      "docs/guide/elementwise_kernel_md_test.cc", 6);
}

}  // namespace
