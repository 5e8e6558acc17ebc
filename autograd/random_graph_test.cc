// Properties that hold for graphs of any shape, on random ones.
#include <gtest/gtest.h>

#include <random>

#include "catena/array/creation.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/gradient_check.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/autograd/variable.h"

namespace catena {
namespace {

using gradient_check::to_doubles;

constexpr int kInputs = 3;
constexpr int kSteps = 12;

// Applies functions to what earlier ones returned, as the seed has it; small
// factors keep the values small. Most variables on the way are released.
Variable random_graph(uint64_t seed, const Variables& inputs) {
  std::mt19937_64 random(seed);
  std::vector<Variable> pool(inputs.begin(), inputs.end());
  const auto pick = [&]() -> Variable& { return pool[random() % pool.size()]; };
  const Variable tenth = as_variable(array::full({2}, 0.1));
  for (int step = 0; step < kSteps; ++step) {
    switch (random() % 6) {
      case 0:
        pick() = testing::add(pick(), pick());
        break;
      case 1:
        pool.push_back(testing::mul(pick(), pick()));
        break;
      case 2:
        pick() = testing::exp(testing::mul(pick(), tenth));
        break;
      case 3:
        pool.push_back(testing::neg(pick()));
        break;
      case 4:
        pool.push_back(testing::add_sub(pick(), pick())[random() % 2]);
        break;
      default:
        for (const Variable& v : testing::add_sub(pick(), pick())) {
          pool.push_back(testing::mul(v, tenth));
        }
    }
  }
  Variable y = pool[0];
  for (size_t i = 1; i < pool.size(); ++i) y = testing::add(y, pool[i]);
  return y;
}

std::vector<Array> make_inputs() {
  return {array::array({0.5, -1.0}), array::array({-0.3, 0.8}),
          array::array({1.2, 0.1})};
}

class RandomGraphTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  // The gradients of all inputs, 0 where there is none.
  static std::vector<std::vector<double>> gradients(
      const BackwardOptions& options) {
    Variables inputs;
    for (const Array& x : make_inputs()) inputs.push_back(Variable(x));
    testing::sum(random_graph(GetParam(), inputs)).backward(options);
    std::vector<std::vector<double>> result;
    for (const Variable& x : inputs) {
      result.push_back(x.grad().defined() ? to_doubles(x.grad())
                                          : std::vector<double>(2));
    }
    return result;
  }
};

TEST_P(RandomGraphTest, GradientsMatchFiniteDifferences) {
  const testing::ExpectNoSurvivors survivors;
  const auto f = [](const Variables& inputs) {
    return random_graph(GetParam(), inputs);
  };
  const Array gy = array::array({1.0, -0.5});
  EXPECT_NO_THROW(gradient_check::check_backward(f, make_inputs(), {gy}, {},
                                                 {.atol = 1e-4, .rtol = 1e-4}));
  EXPECT_NO_THROW(gradient_check::check_double_backward(
      f, make_inputs(), {gy}, {gy, gy, gy}, {}, {},
      {.atol = 1e-3, .rtol = 1e-3}));
}

TEST_P(RandomGraphTest, GradientsAreTheSameHoweverTheyAreComputed) {
  const testing::ExpectNoSurvivors survivors;
  const auto plain = gradients({});
  EXPECT_EQ(gradients({}), plain);
  EXPECT_EQ(gradients({.retain_grad = true}), plain);
  EXPECT_EQ(gradients({.enable_double_backprop = true}), plain);
  EXPECT_EQ(gradients({.retain_grad = true, .enable_double_backprop = true}),
            plain);
}

TEST_P(RandomGraphTest, GradAgreesWithBackward) {
  const testing::ExpectNoSurvivors survivors;
  const auto expected = gradients({});
  Variables inputs;
  for (const Array& x : make_inputs()) inputs.push_back(Variable(x));
  const Variable y = testing::sum(random_graph(GetParam(), inputs));
  for (int i = 0; i < kInputs; ++i) {
    const Variable g = grad({y}, {inputs[i]})[0];
    // Functions of one rank run in another order when fewer of them run.
    EXPECT_NO_THROW(gradient_check::assert_allclose(
        g.defined() ? g.data() : array::zeros({2}), array::array(expected[i]),
        {.atol = 1e-12, .rtol = 1e-12}));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphTest,
                         ::testing::Range<uint64_t>(0, 40));

}  // namespace
}  // namespace catena
