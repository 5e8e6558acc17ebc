// The code of parameterized_functions.md: compiled, run, and compared with the
// page.

#include "catena/docs/guide/parameterized_functions_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::Each;
using ::testing::Property;
using ::testing::SizeIs;

TEST(ParameterizedFunctionsPageTest, GradientsBelongToParameters) {
  ::testing::internal::CaptureStdout();
  F::Linear f(3, 2);
  const Variable x(xp::array({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}));
  f.W.zerograd();  // f.gW.fill(0)
  f.b.zerograd();  // f.gb.fill(0)
  const Variable y = f(x);
  y.set_grad(xp::ones_like(y.array()));
  y.backward();
  std::cout << f.W.grad() << '\n';  // f.gW
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "[[5. 7. 9.]\n [5. 7. 9.]]\n");
  EXPECT_THAT(f.b.grad(), IsArray(xp::array({2.0f, 2.0f})));
}

class MLP : public Chain<MLP> {
 public:
  MLP() : l1(this, "l1", 4, 8), l2(this, "l2", 8, 2) {}
  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }

 private:
  Child<L::Linear> l1, l2;
};

TEST(ParameterizedFunctionsPageTest, BothStylesTrainAlike) {
  xp::random::seed(1);
  FunctionSet model;
  F::Linear& l1 = model.add_link("l1", F::Linear(4, 8));
  F::Linear& l2 = model.add_link("l2", F::Linear(8, 2));
  const Variable x(
      xp::array({{1.0f, 2.0f, 3.0f, 4.0f}, {4.0f, 3.0f, 2.0f, 1.0f}}));
  const Array t = xp::array({0, 1});
  const Variable y = l2(F::relu(l1(x)));
  EXPECT_EQ(y.shape(), (Shape{2, 2}));

  const std::vector<Array> arrays = model.parameters();
  const std::vector<Array> gradients = model.gradients();
  ASSERT_THAT(arrays, SizeIs(4));
  EXPECT_THAT(arrays[2], IsArray(l2.W.array()));
  EXPECT_THAT(gradients, SizeIs(4));
  EXPECT_THAT(gradients, Each(Property(&Array::defined, false)));
  EXPECT_THAT(model.collect_parameters().first, SizeIs(4));

  FunctionSet equal;
  equal.add_link("l1", F::Linear(4, 8));
  F::Linear& last = equal.add_link("l2", F::Linear(8, 2));
  equal.copy_parameters_from(arrays);
  EXPECT_THAT(last.W.array(), IsArray(l2.W.array()));

  optimizers::SGD optimizer({.lr = 0.1});
  optimizer.setup(model);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grads();
    const Variable loss = F::softmax_cross_entropy(l2(F::relu(l1(x))), t);
    loss.backward();
    optimizer.weight_decay(1e-4);
    optimizer.clip_grads(5);
    optimizer.update();
  }
  EXPECT_LT(F::softmax_cross_entropy(l2(F::relu(l1(x))), t).item<float>(), 0.1);

  xp::random::seed(1);  // the same initial values
  MLP mlp;
  optimizers::SGD modern({.lr = 0.1});
  modern.setup(mlp);
  modern.add_hook(optimizers::WeightDecay(1e-4));
  modern.add_hook(optimizers::GradientClipping(5));
  for (int i = 0; i < 100; ++i) {
    modern.update([&] { return F::softmax_cross_entropy(mlp(x), t); });
  }
  const std::vector<Parameter> params = mlp.params();
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_THAT(params[i].array(), IsClose(arrays[i]));
  }
}

TEST(ParameterizedFunctionsPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page(
      "docs/guide/parameterized_functions.md",
      "docs/guide/parameterized_functions_md_test.cc", 7);
}

}  // namespace
