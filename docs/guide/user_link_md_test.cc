// The code of user_link.md: compiled, run, and compared with the page.

#include "catena/docs/guide/user_link_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;

class Scale : public Callable<Scale> {
 public:
  explicit Scale(const Shape& shape)
      : W(this, "W", initializers::Normal(1.0), shape) {}

  Variable forward(const Variable& x) { return W * x; }

  Param W;
};

TEST(UserLinkPageTest, AParameterIsTrainedAndSaved) {
  xp::random::seed(0);
  Scale scale({3});
  optimizers::SGD optimizer({.lr = 0.1});
  optimizer.setup(scale);
  const Array x = xp::array({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}});
  const Array t =
      xp::array({{2.0f, 2.0f, 6.0f}, {8.0f, 5.0f, 12.0f}});  // W is 2, 1, 2
  for (int i = 0; i < 50; ++i) {
    optimizer.update([&] { return F::mean_squared_error(scale(x), t); });
  }
  EXPECT_THAT(scale.W.data(),
              IsClose(xp::array({2.0f, 1.0f, 2.0f}), {.rtol = 1e-3}));

  const catena::testing::TempFolder folder;
  serializers::save_npz(folder.file("scale.npz"), scale);
  Scale loaded({3});
  serializers::load_npz(folder.file("scale.npz"), loaded);
  EXPECT_THAT(loaded(x).data(), IsArray(scale(x).data()));
  scale.W.data().fill(2);
  EXPECT_THAT(scale(x).data(), IsArray(x * 2));
}

class LinearFunction : public FunctionNode {
 public:
  std::string_view label() const override { return "my_linear"; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, W, b] = in.names<3>({"x", "W", "b"});
    in.expect_same_dtype();
    in.expect(x.ndim() == 2, W.ndim() == 2, b.ndim() == 1);
    in.expect(x.shape(1) == W.shape(1), b.shape(0) == W.shape(0));
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {xp::dot(in[0], in[1].T()) + in[2]};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    const Variable x = retained_input(0), W = retained_input(1);
    return {F::matmul(gy[0], W), F::matmul(gy[0].T(), x), F::sum(gy[0], 0)};
  }
};

Variable my_linear(const Variable& x, const Variable& W, const Variable& b) {
  return apply<LinearFunction>({x, W, b});
}

class MyLinear : public Callable<MyLinear> {
 public:
  MyLinear(int64_t in_size, int64_t out_size)
      : W(this, "W", initializers::Normal(1 / std::sqrt(in_size)),
          Shape{out_size, in_size}),
        b(this, "b", 0, Shape{out_size}) {}

  Variable forward(const Variable& x) { return my_linear(x, W, b); }

  Param W;  // (out_size, in_size)
  Param b;  // (out_size,)
};

TEST(UserLinkPageTest, ALinkHoldsTheParametersOfAFunction) {
  MyLinear layer(4, 2);
  const Variable y = layer(xp::ones({5, 4}, Dtype::kFloat32));  // (5, 2)
  const auto f = [&](const Variable& x) { return layer(x); };
  gradient_check::check_backward(f, {xp::ones({5, 4}, Dtype::kFloat32)},
                                 {xp::ones({5, 2}, Dtype::kFloat32)},
                                 {layer.W, layer.b},
                                 {.dtype = Dtype::kFloat64});
  EXPECT_THAT(y.data(), IsClose(F::linear(xp::ones({5, 4}, Dtype::kFloat32),
                                          layer.W, layer.b)
                                    .data()));
  EXPECT_EQ(layer.count_params(), 10);
  EXPECT_THAT(layer.b.data(), IsArray(xp::zeros({2}, Dtype::kFloat32)));
  EXPECT_THROW(layer(xp::ones({5, 3}, Dtype::kFloat32)), InvalidType);

  const Array w = MyLinear(100, 200).W.data();
  EXPECT_NEAR(w.std().item<double>(), 0.1, 0.01);
}

class LazyScale : public Callable<LazyScale> {
 public:
  LazyScale() : W(this, "W", 1) {}

  Variable forward(const Variable& x) {
    if (!W.is_initialized()) W.initialize({x.shape()[1]});
    return W * x;
  }

  Param W;
};

TEST(UserLinkPageTest, AShapeMayComeLater) {
  LazyScale scale;
  optimizers::SGD optimizer;
  optimizer.setup(scale);
  scale.to_device(native_device(1));
  EXPECT_FALSE(scale.W.is_initialized());
  const Array x = xp::ones({2, 5}, Dtype::kFloat32).to_device(native_device(1));
  EXPECT_THAT(scale(x).data(), IsArray(x));
  EXPECT_EQ(scale.W.shape(), (Shape{5}));
  EXPECT_EQ(scale.W.device(), native_device(1));
}

TEST(UserLinkPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/user_link.md",
                                       "docs/guide/user_link_md_test.cc", 7);
}

}  // namespace
