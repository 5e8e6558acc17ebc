// Several threads that work with graphs at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/numerical_grad.h"
#include "catena/autograd/parameter.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/autograd/testing/simple_functions.h"

namespace catena {
namespace {

constexpr int kThreads = 4;
constexpr int kThreadSteps = 50;

template <class F>
void in_threads(const F& f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(f, i);
  for (std::thread& thread : threads) thread.join();
}

// Fits w to a target that depends on the seed by plain gradient descent, and
// returns all losses on the way.
std::vector<double> train(int seed, const Variable& x) {
  const Parameter w(array::full({3}, 0.1 * seed));
  const Variable target = as_variable(array::full({3}, 1.0 + seed));
  std::vector<double> losses;
  for (int step = 0; step < kThreadSteps; ++step) {
    const Variable error =
        testing::add(testing::mul(w, x), testing::neg(target));
    const Variable loss = testing::sum(testing::mul(error, error));
    w.cleargrad();
    loss.backward();
    w.data() -= 0.1 * w.grad();
    losses.push_back(loss.data().item<double>());
  }
  return losses;
}

TEST(ThreadsTest, TrainModelsAtTheSameTime) {
  const testing::ExpectNoSurvivors survivors;
  const Variable x = as_variable(array::array({1.0, 0.5, -1.0}));
  std::vector<std::vector<double>> expected;
  for (int i = 0; i < kThreads; ++i) expected.push_back(train(i, x));
  std::vector<std::vector<double>> actual(kThreads);
  in_threads([&](int i) { actual[i] = train(i, x); });
  EXPECT_EQ(actual, expected);
  EXPECT_LT(actual[1].back(), actual[1].front());
}

TEST(ThreadsTest, ShareParametersForInference) {
  const Parameter w(array::array({1.0, 2.0, 3.0}));
  const Variable x(array::array({1.0, 1.0, 1.0}));
  std::atomic<int> right = 0;
  in_threads([&](int) {
    const auto scope = no_backprop_mode();
    for (int step = 0; step < kThreadSteps; ++step) {
      const Variable y = testing::mul(testing::add(x, x), w);
      right +=
          gradient_check::to_doubles(y.data()) == std::vector<double>{2, 4, 6};
    }
  });
  EXPECT_EQ(right, kThreads * kThreadSteps);
}

TEST(ThreadsTest, DifferentiateWithRespectToTheirOwnInputsThroughOneConstant) {
  const Variable c = as_variable(array::array({2.0, 3.0}));
  std::atomic<int> right = 0;
  in_threads([&](int i) {
    const Variable mine = c;
    for (int step = 0; step < kThreadSteps; ++step) {
      const Variable x(array::full({2}, 1.0 * i));
      testing::sum(testing::mul(testing::mul(x, mine), x)).backward();
      right += gradient_check::to_doubles(x.grad()) ==
               std::vector<double>{4.0 * i, 6.0 * i};
    }
  });
  EXPECT_EQ(right, kThreads * kThreadSteps);
}

TEST(ThreadsTest, DropAConstantThatOtherThreadsDifferentiateThrough) {
  const testing::ExpectNoSurvivors survivors;
  std::atomic<int> right = 0;
  for (int step = 0; step < kThreadSteps; ++step) {
    Variable c = as_variable(array::array({2.0, 3.0}));
    std::vector<Variable> inputs;
    std::vector<Variable> sums;
    for (int i = 0; i < kThreads; ++i) {
      inputs.emplace_back(array::full({2}, 1.0 * i));
      sums.push_back(testing::sum(testing::mul(inputs[i], c)));
    }
    in_threads([&](int i) {
      if (i == 0) c = Variable();
      sums[i].backward();
      right += gradient_check::to_doubles(inputs[i].grad()) ==
               std::vector<double>{2, 3};
    });
  }
  EXPECT_EQ(right, kThreads * kThreadSteps);
}

TEST(ThreadsTest, HandGraphsOver) {
  const testing::ExpectNoSurvivors survivors;
  const Variable x(array::array({1.0, 2.0}));
  Variable y = testing::sum(testing::mul(x, x));
  std::thread([&] {
    y.backward();
    y = Variable();  // the graph dies in another thread than it was made in
  }).join();
  EXPECT_EQ(gradient_check::to_doubles(x.grad()),
            (std::vector<double>{2.0, 4.0}));
}

// Counts calls of the thread that put it in force.
class Counter final : public FunctionHook {
 public:
  std::string_view name() const override { return "Counter"; }
  void forward_preprocess(const FunctionNode&, const Arrays&) override {
    ++count;
  }
  int count = 0;
};

TEST(ThreadsTest, HaveHooksAndSettingsOfTheirOwn) {
  const Variable x = as_variable(array::array({1.0}));
  std::atomic<int> right = 0;
  in_threads([&](int i) {
    Counter counter;
    const FunctionHookScope hook(counter);
    const auto dtype = i % 2 == 0 ? Dtype::kFloat64 : Dtype::kFloat16;
    const auto scope = using_config(&Config::dtype, dtype);
    for (int step = 0; step < kThreadSteps; ++step) {
      for (int k = 0; k <= i; ++k) testing::neg(x);
      right += Parameter(0, Shape({1})).dtype() == dtype;
    }
    right += counter.count == kThreadSteps * (i + 1);
  });
  EXPECT_EQ(right, kThreads * (kThreadSteps + 1));
}

}  // namespace
}  // namespace catena
