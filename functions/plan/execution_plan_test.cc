#include "catena/functions/plan/execution_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "catena/array/core/error.h"
#include "catena/array/core/stream_bytes.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/parameter.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/rrelu.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/connection/embed_id.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/noise/gaussian.h"
#include "catena/functions/noise/gumbel_softmax.h"
#include "catena/functions/noise/simplified_dropconnect.h"
#include "catena/functions/noise/zoneout.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::functions {
namespace {

using ::catena::testing::DeviceTest;
using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;

class ExecutionPlanTest : public DeviceTest {
 protected:
  Array random(const Shape& shape, Dtype dtype = Dtype::kFloat32) const {
    return array::random::uniform(-1.0, 1.0, shape, dtype);
  }
  Variable weights(const Shape& shape, Dtype dtype = Dtype::kFloat32) const {
    return Variable(random(shape, dtype));
  }
  bool is_native() const { return device().is_native(); }

 private:
  ConfigScope<bool> test_ = using_config(&Config::train, false);
  ConfigScope<bool> backprop_ = no_backprop_mode();
};

// The network of these tests: everything that is folded.
struct Network {
  Variable W1, W2, b2, W3, gamma, beta, W4, b4;
  Array mean, var;

  Variable operator()(const Variable& x) const {
    const auto norm = [&](const Variable& h) {
      return fixed_batch_normalization(h, gamma, beta, mean, var,
                                       {.eps = 1e-3});
    };
    Variable h = relu(norm(convolution_2d(x, W1, {}, {.pad = 1})));
    h = max_pooling_2d(h, 3, {.stride = 2});
    const Variable first = norm(convolution_2d(h, W2, b2, {.pad = 1}));
    const Variable second = convolution_2d(h, W3);
    h = relu(first + second);
    h = relu(h + convolution_2d(h, W3));
    h = concat({h, convolution_2d(h, W3)}, {.axis = 1});
    h = average_pooling_2d(h, {h.shape()[2], h.shape()[3]});
    return softmax(relu(linear(h, W4, b4)));
  }
};

TEST_P(ExecutionPlanTest, ComputesWhatTheFunctionComputes) {
  Network net{weights({16, 3, 3, 3}), weights({16, 16, 3, 3}),
              weights({16}),          weights({16, 16, 1, 1}),
              weights({16}),          weights({16}),
              weights({5, 32}),       weights({5}),
              random({16}),           random({16}) * 0.5 + 1.0};
  ExecutionPlan plan(net);
  for (const int64_t batch : {2, 1, 2}) {
    for (int i = 0; i < 2; ++i) {
      const Array x = random({batch, 3, 9, 11});
      const Variable y = plan(x);
      EXPECT_THAT(y.data(), IsClose(net(x).data()));
      EXPECT_EQ(y.creator_node(), nullptr);
    }
  }
  EXPECT_EQ(plan.n_plans(), 2);
  EXPECT_EQ(plan.n_traces(), 2);
}

TEST_P(ExecutionPlanTest, NoticesUpdatesAndReplacementsOfWeights) {
  Variable W = weights({16, 16, 3, 3});
  const Variable gamma = weights({16});
  const Variable beta = weights({16});
  Array mean = random({16});
  const Array var = random({16}) * 0.5 + 1.0;
  const auto f = [&](const Variable& x) {
    return relu(fixed_batch_normalization(convolution_2d(x, W), gamma, beta,
                                          mean, var));
  };
  ExecutionPlan plan(f);
  const Array x = random({2, 16, 6, 6});
  const auto check = [&](const char* what) {
    SCOPED_TRACE(what);
    EXPECT_THAT(plan(x).data(), IsClose(f(x).data()));
  };
  check("traced");
  check("run");
  W.data() *= 2.0;
  check("all weights");
  W.data()[{3, 2, 1, 1}] = 7.0F;
  check("one weight");
  gamma.data() += 1.0;
  check("gamma");
  mean += 0.5;
  check("running statistics in place");
  W.set_data(random({16, 16, 3, 3}));
  check("another array of the parameter");
  if (is_native()) {  // a captured graph has addresses
    EXPECT_EQ(plan.n_traces(), 1);
  }
  mean = random({16});
  check("another array of the function");
  if (is_native()) {
    EXPECT_EQ(plan.n_traces(), 2);
  }
  W.set_data(random({16, 16, 1, 1}));
  check("other shapes");
  W = weights({16, 16, 3, 3});
  plan.refresh();
  EXPECT_EQ(plan.n_plans(), 0);
  check("another parameter");
}

TEST_P(ExecutionPlanTest, ChecksWeightsAsItIsTold) {
  const Variable W = weights({200, 100});
  const auto f = [&](const Variable& x) { return linear(x, W); };
  ExecutionPlan sampled(f, {.weights = PlanCheck::kSampled});
  ExecutionPlan never(f, {.weights = PlanCheck::kNone});
  const Array x = random({3, 100});
  sampled(x);
  const Array before = never(x).data();
  W.data() *= 1.5;
  EXPECT_THAT(sampled(x).data(), IsClose(f(x).data()));
  if (!is_native()) return;  // nothing is packed, the graph reads the weights
  EXPECT_THAT(never(x).data(), IsClose(before));
  never.refresh();
  EXPECT_THAT(never(x).data(), IsClose(f(x).data()));
}

TEST_P(ExecutionPlanTest, TakesAndReturnsSeveralArrays) {
  const Variable W = weights({4, 3});
  const auto f = [&](const std::vector<Variable>& in) {
    const Variable h = linear(in[0], W);
    return std::vector<Variable>{relu(h + in[1]), h, in[0], W, in[1] * 2.0};
  };
  ExecutionPlan plan(f);
  for (int i = 0; i < 3; ++i) {
    const std::vector<Variable> in = {random({5, 3}), random({5, 4})};
    const std::vector<Variable> y = plan(in);
    const std::vector<Variable> expected = f(in);
    ASSERT_EQ(y.size(), 5U);
    for (int k = 0; k < 5; ++k) {
      EXPECT_THAT(y[k].data(), IsClose(expected[k].data())) << k;
    }
  }
  EXPECT_EQ(plan.n_traces(), 1);
}

TEST_P(ExecutionPlanTest, KeepsWhatAResidualOverwritesWhileItIsRead) {
  const Variable W = weights({16, 16, 3, 3});
  const auto f = [&](const std::vector<Variable>& in) {
    const Variable h = convolution_2d(in[0], W, {}, {.pad = 1});
    const Variable a = relu(h + convolution_2d(h, W, {}, {.pad = 1}));
    const Variable b = h + convolution_2d(a, W, {}, {.pad = 1});
    // Both operands, and a sum of an input.
    const Variable c = convolution_2d(b, W, {}, {.pad = 1}) + in[0];
    return std::vector<Variable>{c + c, b, h};
  };
  ExecutionPlan plan(f);
  for (int i = 0; i < 2; ++i) {
    const std::vector<Variable> in = {random({1, 16, 5, 5})};
    const std::vector<Variable> y = plan(in);
    const std::vector<Variable> expected = f(in);
    for (int k = 0; k < 3; ++k) {
      EXPECT_THAT(y[k].data(),
                  IsClose(expected[k].data(), {.rtol = 1e-3, .atol = 1e-3}))
          << k;
    }
  }
}

TEST_P(ExecutionPlanTest, ComputesConvolutionsOfAllKinds) {
  const Variable grouped = weights({32, 8, 3, 3});
  const Variable strided = weights({7, 32, 5, 3});
  const Variable dilated = weights({3, 7, 2, 2});
  const Variable b = weights({7});
  const Array mean = random({6});
  const auto f = [&](const Variable& x) {
    Variable h = convolution_2d(x, grouped, {}, {.groups = 2});
    h = convolution_2d(h, strided, b, {.stride = {2, 1}, .pad = {2, 1}});
    h = max_pooling_2d(h, {3, 2}, {.stride = 2, .pad = {1, 0}});
    h = convolution_2d(relu(h), dilated, {}, {.dilate = {1, 2}});
    return average_pooling_2d(h, 2, {.stride = 1, .pad = 1});
  };
  ExecutionPlan plan(f);
  for (int i = 0; i < 2; ++i) {
    const Array x = random({2, 16, 13, 14});
    EXPECT_THAT(plan(x).data(),
                IsClose(f(x).data(), {.rtol = 1e-4, .atol = 1e-4}));
  }
}

TEST_P(ExecutionPlanTest, NormalizesOverOtherAxesApart) {
  const Variable W = weights({4, 4, 1, 1});
  const Variable gamma = weights({4});
  const auto f = [&](const Variable& x) {
    return fixed_batch_normalization(convolution_2d(x, W), gamma, gamma,
                                     gamma.data(), gamma.data() * 0.0 + 1.0,
                                     {.axis = Axes{0, 1, 3}});
  };
  ExecutionPlan plan(f);
  for (int i = 0; i < 2; ++i) {
    const Array x = random({3, 4, 4, 4});
    EXPECT_THAT(plan(x).data(), IsClose(f(x).data()));
  }
}

TEST_P(ExecutionPlanTest, KeepsOtherDtypes) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kFloat64}) {
    const Variable W = weights({4, 3, 3, 3}, dtype);
    const auto f = [&](const Variable& x) {
      return sigmoid(relu(convolution_2d(x, W)));
    };
    ExecutionPlan plan(f);
    plan(random({2, 3, 5, 5}, dtype));
    const Array x = random({2, 3, 5, 5}, dtype);
    const Array y = plan(x).data();
    EXPECT_EQ(y.dtype(), dtype);
    if (is_native()) {  // the same kernels
      EXPECT_THAT(y, IsArray(f(x).data()));
    } else {
      EXPECT_THAT(y, IsClose(f(x).data()));
    }
  }
}

TEST_P(ExecutionPlanTest, TakesEmptyBatches) {
  const Variable W = weights({4, 3, 3, 3});
  const Variable V = weights({2, 36});
  const auto f = [&](const Variable& x) {
    return linear(relu(convolution_2d(x, W)), V);
  };
  ExecutionPlan plan(f);
  for (const int64_t batch : {0, 2, 0}) {
    EXPECT_EQ(plan(random({batch, 3, 5, 5})).shape(), Shape({batch, 2}));
  }
}

TEST_P(ExecutionPlanTest, TakesViews) {
  const Variable W = weights({16, 16, 1, 1});
  const auto f = [&](const Variable& x) { return convolution_2d(x, W); };
  ExecutionPlan plan(f);
  const Array x = random({2, 4, 5, 16});
  for (int i = 0; i < 2; ++i) {
    const Array view = x.transpose({0, 3, 1, 2});
    EXPECT_THAT(plan(view).data(), IsClose(f(view).data()));
  }
}

TEST_P(ExecutionPlanTest, DropsThePlanThatWasUsedLongestAgo) {
  const auto f = [](const Variable& x) { return x * 2.0; };
  ExecutionPlan plan(f, {.max_plans = 2});
  for (const int64_t size : {1, 2, 1, 3, 1}) plan(random({size}));
  EXPECT_EQ(plan.n_plans(), 2U);
  EXPECT_EQ(plan.n_traces(), 3);
  plan(random({2}));
  EXPECT_EQ(plan.n_traces(), 4);
}

// Their values are not changed for the check.
TEST_P(ExecutionPlanTest, ReadsIntegersOrRefusesToKeepThem) {
  const Variable W = weights({5, 3});
  const Array first = array::array({{0, 4}, {2, 2}}, Dtype::kInt32);
  const Array second = array::array({{1, 4}, {3, 0}}, Dtype::kInt32);
  const auto reads = [&](const Variable& x) { return relu(embed_id(x, W)); };
  ExecutionPlan plan(reads);
  for (const Array& x : {first, second}) {
    EXPECT_THAT(plan(x).data(), IsArray(reads(x).data()));
  }
  EXPECT_EQ(plan.n_traces(), 1);
  const Array beyond = array::array({{0, 0}, {0, 5}}, Dtype::kInt32);
  EXPECT_THAT(error_of<ValueError>([&] {
                plan(beyond);
                synchronize(device());
              }),
              HasSubstr("expected labels from 0 to 4, got 5"));

  ExecutionPlan keeping(
      [&](const Variable& x) { return embed_id(x.data(), W); });
  if (is_native()) {
    EXPECT_THAT(error_of<ValueError>([&] { keeping(first); }),
                HasSubstr("expected a function of input 0 as a variable"));
    return;
  }
  keeping(first);  // a graph reads the input where it lies
  EXPECT_THAT(keeping(second).data(), IsArray(embed_id(second, W).data()));
}

TEST_P(ExecutionPlanTest, RefusesWhatIsRandom) {
  const auto train = using_config(&Config::train, true);
  ExecutionPlan dropping([](const Variable& x) { return dropout(x); });
  EXPECT_THAT(error_of<ValueError>([&] { dropping(random({8})); }),
              HasSubstr("got dropout"));
  const Variable one = weights({4});
  ExecutionPlan normalizing(
      [&](const Variable& x) { return batch_normalization(x, one, one); });
  EXPECT_THAT(error_of<ValueError>([&] {
                normalizing(random({8, 4}));
              }),
              HasSubstr("got batch_normalization"));
  ExecutionPlan adding([&](const Variable& x) { return x + random({2000}); });
  EXPECT_THAT(error_of<ValueError>([&] { adding(random({2000})); }),
              HasSubstr("draw random numbers"));
}

// What is drawn is an input of the node, or the node draws it.
TEST_P(ExecutionPlanTest, RefusesAllThatDrawsAndTakesWhatIsGiven) {
  const auto train = using_config(&Config::train, true);
  struct Case {
    std::string_view label;
    std::function<Variable(const Variable& x, const Array& given)> function;
  };
  const Variable W = weights({4, 4});
  const Case cases[] = {
      {"dropout",
       [](const Variable& x, const Array& given) {
         return dropout(x, {.mask = given});
       }},
      {"zoneout",
       [](const Variable& x, const Array& given) {
         return zoneout(relu(x), x, {.mask = given});
       }},
      {"gaussian",
       [](const Variable& x, const Array& given) {
         return gaussian(x, x, {.eps = given});
       }},
      {"gumbel_softmax",
       [](const Variable& x, const Array& given) {
         return gumbel_softmax(x, {.noise = given});
       }},
      {"rrelu", [](const Variable& x,
                   const Array& given) { return rrelu(x, {.r = given}); }},
      {"simplified_dropconnect",
       [&](const Variable& x, const Array& given) {
         return simplified_dropconnect(
             x, W, {}, {.mask = given, .use_batchwise_mask = false});
       }},
  };
  const Array given = random({4, 4});
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.label));
    ExecutionPlan drawing(
        [&](const Variable& x) { return c.function(x, Array()); });
    EXPECT_THAT(error_of<ValueError>([&] {
                  drawing(random({4, 4}));
                }),
                HasSubstr(str("got ", c.label)));
    const auto f = [&](const Variable& x) { return c.function(x, given); };
    ExecutionPlan plan(f);
    for (int i = 0; i < 2; ++i) {
      const Array x = random({4, 4});
      EXPECT_THAT(plan(x).data(), IsClose(f(x).data()));
    }
  }
}

// A user's own functions, with labels of ours.
class HalfProduct final : public FunctionNode {
 public:
  explicit HalfProduct(std::string_view label) : label_(label) {}
  std::string_view label() const override { return label_; }
  Arrays forward(const Arrays& in) override {
    return {array::matmul(in[0], in[1].T()) * 0.5};
  }
  Variables backward(const Indexes& wanted, const Variables&) override {
    return Variables(wanted.size());
  }

 private:
  std::string_view label_;
};

class Counter final : public FunctionNode {
 public:
  std::string_view label() const override { return "counter"; }
  bool repeats() const override { return false; }
  Arrays forward(const Arrays& in) override {
    static int calls = 0;
    return {in[0] + ++calls};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0]};
  }
};

TEST_P(ExecutionPlanTest, TakesNoFunctionForAnotherWithItsLabel) {
  const Variable W = weights({5, 6});
  for (const std::string_view label : {"linear", "concat", "dropout"}) {
    const auto f = [&](const Variable& x) {
      return relu(apply<HalfProduct>({x, W}, label));
    };
    ExecutionPlan plan(f);
    for (int i = 0; i < 2; ++i) {
      const Array x = random({3, 6});
      EXPECT_THAT(plan(x).data(), IsClose(f(x).data())) << label;
    }
  }
}

TEST_P(ExecutionPlanTest, RefusesAUsersFunctionThatDoesNotRepeat) {
  ExecutionPlan plan([](const Variable& x) { return apply<Counter>({x}); });
  EXPECT_THAT(error_of<ValueError>([&] { plan(random({3})); }),
              HasSubstr("got counter"));
}

TEST_P(ExecutionPlanTest, NoticesThatTheFunctionBranches) {
  ExecutionPlan plan([](const Variable& x) {
    return x.data().sum().item<float>() > 3.9F ? relu(x) : sigmoid(x);
  });
  const auto call = [&] { plan(array::ones({4}, Dtype::kFloat32)); };
  EXPECT_THAT(error_of<ValueError>(call),
              HasSubstr("got relu as function 1, then sigmoid"));
  EXPECT_EQ(plan.n_plans(), 0U);
}

// With the label of HalfProduct("product").
class Product final : public FunctionNode {
 public:
  std::string_view label() const override { return "product"; }
  Arrays forward(const Arrays& in) override {
    return {array::matmul(in[0], in[1].T())};
  }
  Variables backward(const Indexes& wanted, const Variables&) override {
    return Variables(wanted.size());
  }
};

TEST_P(ExecutionPlanTest, NoticesAnotherFunctionWithTheSameLabel) {
  const Variable W = weights({5, 4});
  ExecutionPlan plan([&](const Variable& x) {
    return x.data().sum().item<float>() > 3.9F
               ? apply<HalfProduct>({x, W}, "product")
               : apply<Product>({x, W});
  });
  const auto call = [&] { plan(array::ones({1, 4}, Dtype::kFloat32)); };
  EXPECT_THAT(error_of<ValueError>(call),
              HasSubstr("got product as function 1, then product"));
}

TEST_P(ExecutionPlanTest, NoticesWhatIsComputedOnArrays) {
  if (!is_native()) GTEST_SKIP() << "a graph computes it again";
  ExecutionPlan plan(
      [](const Variable& x) { return relu(x * (x.data() + 1.0)); });
  EXPECT_THAT(error_of<ValueError>([&] { plan(random({9})); }),
              HasSubstr("compute on arrays"));
  ExecutionPlan unrecorded([](const Variable& x) {
    const auto scope = no_backprop_mode();
    return relu(x);
  });
  EXPECT_THAT(error_of<ValueError>([&] { unrecorded(random({9})); }),
              HasSubstr("no_backprop_mode()"));
}

TEST_P(ExecutionPlanTest, AGraphComputesOnArraysToo) {
  if (is_native()) GTEST_SKIP() << "an error: NoticesWhatIsComputedOnArrays";
  const Variable W = weights({3, 3, 2, 2});
  const auto scaled = [](const Variable& x) { return x * (x.data() + 1.0); };
  const auto with_product = [&](const Variable& x) {
    return relu(convolution_2d(scaled(x), W));
  };
  for (const ExecutionPlan::Function& f :
       {ExecutionPlan::Function(scaled), {with_product}}) {
    ExecutionPlan plan(f);
    for (int i = 0; i < 3; ++i) {
      const Array x = random({1, 3, 4, 4});
      EXPECT_THAT(plan(x).data(), IsClose(f(x).data()));
    }
    EXPECT_EQ(plan.n_traces(), 1);
    EXPECT_TRUE(plan.steps().empty());
  }
}

TEST_P(ExecutionPlanTest, RefusesGradients) {
  const auto backprop = force_backprop_mode();
  ExecutionPlan plan([](const Variable& x) { return relu(x); });
  EXPECT_THAT(error_of<GradientError>([&] { plan(Variable(random({3}))); }),
              HasSubstr("for input 0"));
  EXPECT_FALSE(plan(as_variable(random({3}))).requires_grad());
}

TEST_P(ExecutionPlanTest, ChecksOptionsAndInputs) {
  const auto f = [](const Variable& x) { return relu(x); };
  EXPECT_THAT(error_of<ValueError>(
                  [&] { ExecutionPlan(f, {.precision = Dtype::kFloat16}); }),
              HasSubstr("got float16"));
  EXPECT_THAT(error_of<ValueError>([&] { ExecutionPlan(f, {.max_plans = 0}); }),
              HasSubstr("got 0"));
  ExecutionPlan plan(f);
  EXPECT_THAT(error_of<ValueError>([&] { plan(Variable()); }),
              HasSubstr("input 0 is undefined"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { plan(std::vector<Variable>(2, random({3}))); }),
              HasSubstr("expected 1 input, got 2"));
}

TEST_P(ExecutionPlanTest, NamesItsSteps) {
  const Variable W = weights({16, 16, 1, 1});
  ExecutionPlan plan(
      [&](const Variable& x) { return relu(convolution_2d(x, W) + x); },
      {.measure_steps = true});
  EXPECT_TRUE(plan.steps().empty());
  plan(random({1, 16, 8, 8}));
  bool found = false;
  for (const PlanStep& step : plan.steps()) {
    found |= step.functions.starts_with("convolution") &&
             step.functions.ends_with("+ relu") &&
             (step.seconds > 0) == is_native() &&
             step.shape == Shape({1, 16, 8, 8});
  }
  EXPECT_TRUE(found);
}

TEST_P(ExecutionPlanTest, ComputesElementwiseFunctionsInOnePass) {
  const Variable W = weights({30, 40});
  const Variable number = weights({1});
  const auto f = [&](const std::vector<Variable>& in) {
    const Variable h = sigmoid(in[0] * W + in[1] * number);
    const Variable sums = linear(h, W);
    // Another shape, a view, and results that are also outputs.
    const Variable other = relu(sums - 2.0) * sums;
    const Variable last = relu(h * in[0] + W);
    return std::vector<Variable>{other, last * last, h};
  };
  ExecutionPlan plan(f);
  const auto inputs = [&] {
    return std::vector<Variable>{random({40, 30}).T(), random({30, 40})};
  };
  plan(inputs());
  for (int i = 0; i < 2; ++i) {
    const std::vector<Variable> in = inputs();
    const std::vector<Variable> y = plan(in);
    const std::vector<Variable> expected = f(in);
    EXPECT_THAT(y[0].data(), IsClose(expected[0].data()));
    EXPECT_THAT(y[1].data(), IsArray(expected[1].data()));
    EXPECT_THAT(y[2].data(), IsArray(expected[2].data()));
  }
  if (!is_native()) return;
  int chains = 0;
  for (const PlanStep& step : plan.steps()) {
    chains += step.kind == "elementwise" ? 1 : 0;
  }
  EXPECT_EQ(chains, 3);
}

TEST_P(ExecutionPlanTest, ChainsTwoFunctionsOfSmallArraysAndThreeOfLargeOnes) {
  if (!is_native()) GTEST_SKIP() << "a GPU's plan is a graph";
  const auto two = [](const Variable& x) { return sigmoid(x) * x; };
  const auto three = [](const Variable& x) { return sigmoid(x) * x + x; };
  // Steps that compute some functions together.
  const auto chains = [&](Variable (*f)(const Variable&), int64_t size) {
    ExecutionPlan plan(f);
    plan(random({size}));
    return std::ranges::count(plan.steps(), "elementwise", &PlanStep::kind);
  };
  const int64_t large = cpu::kStreamBytes / 4;
  EXPECT_EQ(chains(two, 8), 1);
  EXPECT_EQ(chains(two, large - 1), 1);
  EXPECT_EQ(chains(two, large), 0);
  EXPECT_EQ(chains(three, large), 1);
}

TEST_P(ExecutionPlanTest, ComputesInBfloat16WhereTheProcessorDoes) {
  const Variable W = weights({32, 16, 3, 3});
  const Variable V = weights({10, 32});
  const auto f = [&](const Variable& x) {
    const Variable h = max_pooling_2d(relu(convolution_2d(x, W)), 4);
    return linear(h, V);
  };
  try {
    ExecutionPlan plan(f, {.precision = Dtype::kBFloat16});
    const auto call = [&] { plan(random({2, 16, 6, 6})); };
    if (!is_native()) {
      EXPECT_THAT(error_of<ValueError>(call),
                  HasSubstr("float32 on a GPU, whose plans"));
      return;
    }
    call();
    const Array x = random({2, 16, 6, 6});
    const Array y = plan(x).data();
    EXPECT_EQ(y.dtype(), Dtype::kFloat32);
    EXPECT_THAT(y, IsClose(f(x).data(), {.rtol = 0.05, .atol = 0.5}));
  } catch (const NotImplementedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("AVX512_BF16"));
  }
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Devices, ExecutionPlanTest,
                         ::catena::testing::every_device(),
                         ::catena::testing::device_name);

}  // namespace catena::functions
