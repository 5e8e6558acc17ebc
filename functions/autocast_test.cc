// Config::autocast, which needs functions to show what it does.

#include "catena/autograd/autocast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/array/core/memory_pool.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/parameter.h"
#include "catena/functions/functions.h"
#include "catena/functions/kinds.h"
#include "catena/functions/plan/execution_plan.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::functions {
namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::HasSubstr;

constexpr Dtype kBoth[] = {Dtype::kBFloat16, Dtype::kFloat16};

Array normal(const Shape& shape, Dtype dtype = Dtype::kFloat32) {
  return array::random::normal(0, 1, shape, Dtype::kFloat32).astype(dtype);
}

// Counts casts.
class Casts final : public FunctionHook {
 public:
  std::string_view name() const override { return "casts"; }
  void forward_postprocess(const FunctionNode& function,
                           const Arrays&) override {
    if (function.label() == "autocast") ++count;
  }
  int count = 0;
};

class AutocastTest : public testing::DeviceTest {
 protected:
  AutocastTest() { array::random::seed(0); }
};

TEST_P(AutocastTest, ProductsAreNarrowAndGradientsArriveInFloat32) {
  for (const Dtype dtype : kBoth) {
    const Parameter W(normal({4, 3}));
    const Variable x(normal({2, 3}));
    Variable y;
    {
      const auto scope = using_config(&Config::autocast, dtype);
      y = linear(x, W);
    }
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_THAT(
        y.data(),
        IsArray(linear(x.data().astype(dtype), W.data().astype(dtype)).data()));
    y.set_grad(normal({2, 4}, dtype));
    const Array gy = y.grad();
    y.backward();
    EXPECT_EQ(W.grad().dtype(), Dtype::kFloat32);
    EXPECT_EQ(x.grad().dtype(), Dtype::kFloat32);
    EXPECT_THAT(
        W.grad().astype(dtype),
        IsClose(matmul(gy, x.data().astype(dtype), {.transa = true}).data(),
                {.rtol = 1e-2, .atol = 1e-2}));
  }
}

TEST_P(AutocastTest, TheTableDecides) {
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  const Variable narrow(normal({2, 4}, Dtype::kBFloat16));
  const Variable wide(normal({2, 4}));
  EXPECT_EQ(exp(narrow).dtype(), Dtype::kFloat32);
  EXPECT_EQ(softmax(narrow).dtype(), Dtype::kFloat32);
  EXPECT_EQ(sum(narrow).dtype(), Dtype::kFloat32);
  EXPECT_EQ(relu(narrow).dtype(), Dtype::kBFloat16);
  EXPECT_EQ(relu(wide).dtype(), Dtype::kFloat32);
  EXPECT_EQ((narrow + wide).dtype(), Dtype::kFloat32);
  EXPECT_EQ((narrow + narrow).dtype(), Dtype::kBFloat16);
  EXPECT_EQ((narrow * 2).dtype(), Dtype::kBFloat16);
  EXPECT_EQ(concat({narrow, wide}).dtype(), Dtype::kFloat32);
  EXPECT_EQ(cast(wide, Dtype::kFloat16).dtype(), Dtype::kFloat16);
  EXPECT_EQ(matmul(wide, narrow, {.transb = true}).dtype(), Dtype::kBFloat16);
  EXPECT_EQ(mean_squared_error(narrow, wide).dtype(), Dtype::kFloat32);
  const Array t = array::zeros({2}, Dtype::kInt32);
  EXPECT_EQ(softmax_cross_entropy(narrow, t).dtype(), Dtype::kFloat32);
  EXPECT_EQ(linear_cross_entropy(wide, Variable(normal({5, 4})), t).dtype(),
            Dtype::kFloat32);
}

TEST_P(AutocastTest, IntegersAndFloat64AreLeftAlone) {
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  const Variable x(normal({2, 3}).astype(Dtype::kFloat64));
  const Variable W(normal({4, 3}).astype(Dtype::kFloat64));
  EXPECT_EQ(linear(x, W).dtype(), Dtype::kFloat64);
  EXPECT_EQ(exp(x).dtype(), Dtype::kFloat64);
  EXPECT_THROW(linear(x, Variable(normal({4, 3}))), InvalidType);
  const Array ids = array::zeros({2}, Dtype::kInt32);
  EXPECT_EQ(embed_id(ids, Variable(normal({4, 3}))).dtype(), Dtype::kFloat32);
}

TEST_P(AutocastTest, OnlyDtypesOf16BitsAreAccepted) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64, Dtype::kInt32}) {
    EXPECT_THAT(
        [&] { const auto scope = using_config(&Config::autocast, dtype); },
        ::testing::ThrowsMessage<DtypeError>(
            HasSubstr("Config::autocast: expected float16 or bfloat16")));
  }
  EXPECT_FALSE(config().autocast.is_on());
}

// Tied weights: one copy, one gradient.
TEST_P(AutocastTest, AParameterIsCastOncePerStep) {
  const Parameter W(normal({3, 3}));
  const Variable x(normal({2, 3}));
  Casts casts;
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  {
    const FunctionHookScope hook(casts);
    const Variable loss = sum(linear(linear(x, W), W));
    loss.backward();
  }
  // x, W, and the gradient of each; the sum, and its gradient.
  EXPECT_EQ(casts.count, 6);
  EXPECT_EQ(W.grad().dtype(), Dtype::kFloat32);
}

TEST_P(AutocastTest, ACopyIsNeverStale) {
  const Parameter W(normal({3, 3}));
  const Parameter other(normal({3, 3}));
  const Variable x(normal({2, 3}));
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  const auto expect_fresh = [&] {
    const Variable y = linear(x, W);
    EXPECT_THAT(y.data(), IsArray(linear(x.data().astype(Dtype::kBFloat16),
                                         W.data().astype(Dtype::kBFloat16))
                                      .data()));
    return y;
  };
  const Variable kept = expect_fresh();
  W.set_data(normal({3, 3}));
  expect_fresh();
  W.copydata(other);
  expect_fresh();
  static_cast<const Variable&>(W).copydata(Variable(normal({3, 3})));
  expect_fresh();
  W.data().fill(0.5);
  W.bump_version();
  expect_fresh();
  EXPECT_EQ(kept.dtype(), Dtype::kBFloat16);
}

// Copies of a model may share its arrays.
TEST_P(AutocastTest, ACopyIsNotStaleWhereParametersShareAnArray) {
  const Parameter W(normal({3, 3}));
  const Parameter same = W.clone(Parameter::CopyMode::kShare);
  const Variable x(normal({2, 3}));
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  linear(x, same);
  W.copydata(Parameter(normal({3, 3})));
  EXPECT_THAT(linear(x, same).data(), IsArray(linear(x, W).data()));
}

TEST_P(AutocastTest, ACopyFollowsChangesByOtherThreads) {
  const Parameter W(normal({3, 3}));
  const Variable x(normal({2, 3}));
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  linear(x, W);
  std::thread([&] { W.copydata(Parameter(normal({3, 3}))); }).join();
  EXPECT_THAT(linear(x, W).data(), IsArray(linear(x, W.data()).data()));
}

// A scope may be as long as the program.
TEST_P(AutocastTest, CopiesOfModelsThatAreGoneDoNotPileUp) {
  constexpr int64_t kSize = 1024;
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  const Variable x(normal({1, kSize}));
  const auto used = [] { return cpu::memory_pool_statistics().used_bytes; };
  const int64_t before = used();
  for (int i = 0; i < 4; ++i) linear(x, Parameter(normal({kSize, kSize})));
  EXPECT_LT(used() - before, 2 * kSize * kSize * 2);
}

TEST_P(AutocastTest, ACopyWithoutGraphServesNoGradient) {
  const Parameter W(normal({3, 3}));
  const Variable x(normal({2, 3}));
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  {
    const auto no_graph = no_backprop_mode();
    linear(x, W);
  }
  sum(linear(x, W)).backward();
  const Array first = W.grad();
  EXPECT_TRUE(first.defined());
  // A cut graph, as of truncated backpropagation through time.
  W.cleargrad();
  const Variable loss = sum(linear(x, W));
  loss.unchain_backward();
  sum(linear(x, W)).backward();
  EXPECT_THAT(W.grad(), IsArray(first));
  W.freeze();
  const Variable y = linear(x.data(), W);
  EXPECT_FALSE(y.requires_grad());
  W.unfreeze();
  sum(linear(x, W)).backward();
  EXPECT_THAT(W.grad(), IsArray(first));
}

TEST_P(AutocastTest, TheCopiesEndWithTheScope) {
  const Parameter W(normal({3, 3}));
  const Variable x(normal({2, 3}));
  Casts casts;
  const FunctionHookScope hook(casts);
  const auto no_graph = no_backprop_mode();
  for (int i = 0; i < 2; ++i) {
    const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
    linear(x, W);
    {
      const auto off = using_config(&Config::autocast, std::nullopt);
      EXPECT_EQ(linear(x, W).dtype(), Dtype::kFloat32);
    }
    linear(x, W);
  }
  // x each time, W once a scope.
  EXPECT_EQ(casts.count, 6);
}

TEST_P(AutocastTest, ABackwardPassIsTheSameInsideTheScopeAndAfterIt) {
  Array inside;
  Array after;
  for (Array* gradient : {&inside, &after}) {
    array::random::seed(1);
    const Parameter W(normal({3, 3}));
    const Variable b(normal({3}));
    Variable loss;
    {
      const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
      loss = sum(exp(tanh(linear(normal({2, 3}), W, b))));
      if (gradient == &inside) loss.backward();
    }
    if (gradient == &after) loss.backward();
    *gradient = W.grad();
  }
  EXPECT_THAT(inside, IsArray(after));
}

TEST_P(AutocastTest, DifferentiatesTwice) {
  const Parameter W(normal({3, 3}));
  const Variable x(normal({2, 3}));
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  const Variable y = sum(square(linear(x, W)));
  const std::vector<Variable> gx =
      grad({y}, {x}, {.enable_double_backprop = true});
  EXPECT_EQ(gx[0].dtype(), Dtype::kFloat32);
  sum(square(gx[0])).backward();
  // gx = 2 x W^T W; |gx|^2 is of degree 4 in W.
  const Array found = W.grad();
  const Parameter exact(W.data().copy());
  const auto off = using_config(&Config::autocast, std::nullopt);
  const Variable y32 = sum(square(linear(x, exact)));
  const auto gx32 = grad({y32}, {x}, {.enable_double_backprop = true});
  sum(square(gx32[0])).backward();
  EXPECT_THAT(found, IsClose(exact.grad(), {.rtol = 0.1, .atol = 2}));
}

TEST_P(AutocastTest, ForgetComputesAgainAsBefore) {
  const Parameter W(normal({3, 3}));
  const Variable x(normal({2, 3}));
  const auto layer = [&](const Variable& x) { return tanh(linear(x, W)); };
  Variable plain;
  Variable forgetful;
  {
    const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
    plain = sum(layer(x));
    forgetful = sum(forget(layer, x));
  }
  plain.backward();
  const Array expected = W.grad();
  W.cleargrad();
  forgetful.backward();
  EXPECT_THAT(W.grad(), IsArray(expected));
}

TEST_P(AutocastTest, ThreadsShareAModel) {
  const Parameter W(normal({3, 3}));
  const Array x = normal({2, 3});
  const Array expected =
      linear(x.astype(Dtype::kBFloat16), W.data().astype(Dtype::kBFloat16))
          .data();
  std::vector<Array> found(4);
  std::vector<std::thread> threads;
  for (Array& y : found) {
    threads.emplace_back([&] {
      const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
      for (int i = 0; i < 100; ++i) y = linear(x, W).data();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Array& y : found) EXPECT_THAT(y, IsArray(expected));
}

TEST_P(AutocastTest, AnExecutionPlanFollowsParameters) {
  const Parameter W(normal({3, 3}));
  const Array x = normal({2, 3});
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  linear(x, W);
  const auto no_graph = no_backprop_mode();
  ExecutionPlan plan([&](const Variable& x) { return linear(x, W); });
  EXPECT_THAT(plan(x).data(), IsArray(linear(x, W).data()));
  W.data().fill(0.25);
  W.bump_version();
  EXPECT_THAT(plan(x).data(), IsArray(linear(x, W).data()));
}

// Inputs of 16 bits with parameters of 32, as between layers.
TEST_P(AutocastTest, FunctionsTakeMixedInputs) {
  const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
  const auto x = [](const Shape& shape) {
    return Variable(normal(shape, Dtype::kBFloat16));
  };
  const auto w = [](const Shape& shape) { return Variable(normal(shape)); };
  const Array labels = array::zeros({2}, Dtype::kInt32);
  const std::vector<std::pair<const char*, Variable>> results = {
      {"attention",
       attention(x({1, 2, 3, 4}), w({1, 2, 3, 4}), x({1, 2, 3, 4}))},
      {"batch_normalization",
       batch_normalization(x({4, 3}), w({3}), w({3}), {.residual = w({4, 3})})},
      {"bilinear", bilinear(x({2, 3}), w({2, 4}), w({3, 4, 5}), w({3, 5}),
                            w({4, 5}), w({5}))},
      {"convolution_2d",
       convolution_2d(x({1, 2, 4, 4}), w({3, 2, 3, 3}), w({3}))},
      {"deconvolution_2d",
       deconvolution_2d(x({1, 2, 4, 4}), w({2, 3, 3, 3}), w({3}))},
      {"depthwise_convolution_2d",
       depthwise_convolution_2d(x({1, 2, 4, 4}), w({1, 2, 3, 3}))},
      {"einsum", einsum("ij,jk->ik", {x({2, 3}), w({3, 4})})},
      {"group_normalization",
       group_normalization(x({2, 4, 3}), 2, w({4}), w({4}))},
      {"layer_normalization", layer_normalization(x({2, 3}), w({3}), w({3}))},
      {"rms_normalization", rms_normalization(x({2, 3}), w({3}))},
      {"local_convolution_2d",
       local_convolution_2d(x({1, 2, 3, 3}), w({3, 2, 2, 2, 2, 2}))},
      {"lstm", lstm(w({2, 3}), x({2, 12}))[0]},
      {"prelu", prelu(x({2, 3}), w({3}))},
      {"swiglu", swiglu(x({2, 3}), w({2, 3}))},
      {"tensordot", tensordot(x({2, 3}), w({3, 4}), 1)},
      {"where", where(array::ones({2, 3}, Dtype::kBool), x({2, 3}), w({2, 3}))},
      {"softmax_cross_entropy",
       softmax_cross_entropy(x({2, 3}), softmax(w({2, 3})).data())},
      {"contrastive", contrastive(x({2, 3}), w({2, 3}), labels)},
      {"huber_loss", huber_loss(x({2, 3}), w({2, 3}), 1)},
      {"minimum", minimum(x({2, 3}), w({2, 3}))},
      {"stack", stack({x({2, 3}), w({2, 3})})},
  };
  for (const auto& [name, y] : results) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(y.requires_grad());
    y.set_grad(array::ones_like(y.data()));
    y.backward();
  }
}

std::string names_in(const std::string& path) {
  return catena::testing::read_file(catena::testing::runfile(path));
}

// A new kind has to be given a rule.
TEST_P(AutocastTest, TheTableNamesEveryKind) {
  const std::string kinds = names_in("functions/kinds.h");
  const std::string source = names_in("autograd/autocast.cc");
  const std::string table = source.substr(source.find("struct KindList"));
  const std::regex name("struct (\\w+);");
  int count = 0;
  for (std::sregex_iterator i(kinds.begin(), kinds.end(), name), end; i != end;
       ++i) {
    const std::string kind = (*i)[1];
    if (kind == "GradientOf" || kind == "SumOf" || kind == "TransposeOf") {
      continue;  // templates, of what backward passes call
    }
    ++count;
    EXPECT_TRUE(std::regex_search(
        table, std::regex("[ <(]" + kind + "[,>]|^" + kind + "[,>]")))
        << kind << " has no rule in autograd/autocast.cc";
  }
  EXPECT_GT(count, 90);
}

TEST_P(AutocastTest, RulesOfKinds) {
  struct Unknown;
  EXPECT_EQ(autocast_rule(FunctionKind::of<kinds::Linear>()),
            AutocastRule::kNarrow);
  EXPECT_EQ(autocast_rule(FunctionKind::of<kinds::Softmax>()),
            AutocastRule::kWide);
  EXPECT_EQ(autocast_rule(FunctionKind::of<kinds::Add>()),
            AutocastRule::kWidest);
  EXPECT_EQ(autocast_rule(FunctionKind::of<kinds::Forget>()),
            AutocastRule::kAsGiven);
  EXPECT_EQ(autocast_rule(FunctionKind::of<Unknown>()), AutocastRule::kWidest);
  EXPECT_EQ(autocast_rule(FunctionKind()), AutocastRule::kWidest);
}

INSTANTIATE_TEST_SUITE_P(Devices, AutocastTest, testing::every_device(),
                         testing::device_name);

}  // namespace
}  // namespace catena::functions
