// The code of migrate_function.md: compiled, run, and compared with the page.

#include "catena/docs/guide/migrate_function_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsClose;

class OldCube : public Function {
 public:
  Arrays forward(const Arrays& in) override { return {in[0] * in[0] * in[0]}; }
  Arrays backward(const Arrays& in, const Arrays& gy) override {
    return {3 * in[0] * in[0] * gy[0]};
  }
};

class Cube : public FunctionNode {
 public:
  std::string_view label() const override { return "cube"; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    return {in[0] * in[0] * in[0]};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {3 * x * x * gy[0]};
  }
};

class CubeGrad : public FunctionNode {
 public:
  std::string_view label() const override { return "cube_grad"; }

  // Takes x and gy: the code of OldCube::backward.
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {3 * in[0] * in[0] * in[1]};
  }

  // gx = 3 x^2 gy depends on both, so the second derivative has two parts.
  Variables backward(const Indexes& /*wanted*/, const Variables& ggx) override {
    const Variable x = retained_input(0), gy = retained_input(1);
    return {6 * x * gy * ggx[0], 3 * x * x * ggx[0]};
  }
};

Variable cube_grad(const Variable& x, const Variable& gy) {
  return apply<CubeGrad>({x, gy});
}

class CubeByKernel : public FunctionNode {
 public:
  std::string_view label() const override { return "cube"; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    return {in[0] * in[0] * in[0]};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    return {cube_grad(retained_input(0), gy[0])};
  }
};

TEST(MigrateFunctionPageTest, OldAndNewAgree) {
  const Array x = xp::array({-1.5, 0.5, 2.0}), gy = xp::array({1.0, -2.0, 0.5});
  const auto cube = [](const Variable& x) { return apply<CubeByKernel>({x}); };
  gradient_check::assert_allclose(cube(x).data(),
                                  apply_function<OldCube>({x}).data());
  gradient_check::check_backward(cube, {x}, {gy});
  gradient_check::check_double_backward(cube, {x}, {gy}, {xp::ones({3})});
  EXPECT_THAT(cube(x).data(), IsClose(xp::power(x, 3)));

  const auto composed = [](const Variable& x) { return apply<Cube>({x}); };
  gradient_check::check_backward(composed, {x}, {gy});
  gradient_check::check_double_backward(composed, {x}, {gy}, {xp::ones({3})});
  const auto old = [](const Variable& x) {
    return apply_function<OldCube>({x});
  };
  gradient_check::check_backward(old, {x}, {gy});
  EXPECT_THROW(
      gradient_check::check_double_backward(old, {x}, {gy}, {xp::ones({3})}),
      GradientError);
}

// Cuts the graph.
class CutCube : public Cube {
  Variables backward(const Indexes&, const Variables& gy) override {
    const Array x = retained_input(0).data();
    return {3 * x * x * gy[0]};
  }
};

// Has no second derivative and says so.
class OnlyOnce : public CubeGrad {
  Variables backward(const Indexes&, const Variables&) override {
    raise<NotImplementedError>("cube_grad: there is no second derivative");
  }
};
class CubeOnce : public CubeByKernel {
  Variables backward(const Indexes&, const Variables& gy) override {
    return {catena::apply<OnlyOnce>({retained_input(0), gy[0]})};
  }
};

TEST(MigrateFunctionPageTest, TheSecondDerivativeIsChecked) {
  const Array x = xp::array({-1.5, 0.5, 2.0}), gy = xp::array({1.0, -2.0, 0.5});
  const auto cut = [](const Variable& x) { return apply<CutCube>({x}); };
  gradient_check::check_backward(cut, {x}, {gy});
  EXPECT_THROW(
      gradient_check::check_double_backward(cut, {x}, {gy}, {xp::ones({3})}),
      GradientError);

  const auto once = [](const Variable& x) { return apply<CubeOnce>({x}); };
  gradient_check::check_backward(once, {x}, {gy});
  EXPECT_THROW(
      gradient_check::check_double_backward(once, {x}, {gy}, {xp::ones({3})}),
      NotImplementedError);
}

TEST(MigrateFunctionPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/migrate_function.md",
                                       "docs/guide/migrate_function_md_test.cc",
                                       6);
}

}  // namespace
