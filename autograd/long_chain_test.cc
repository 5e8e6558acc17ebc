// Chains of 100,000 operations, in a thread with a stack of 256 KiB: nothing
// may recurse along the graph.
#include <gtest/gtest.h>
#include <pthread.h>

#include "catena/array/creation.h"
#include "catena/autograd/computational_graph.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/autograd/variable.h"

namespace catena {
namespace {

constexpr int kLength = 100'000;

// Runs f, which takes no arguments, in a thread with a small stack.
template <class F>
void with_small_stack(const F& f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  pthread_t thread;
  const auto run = [](void* f) -> void* {
    (*static_cast<const F*>(f))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<F*>(&f)), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

Variable chain_start() { return Variable(array::array({0.5, -2.0})); }

Variable make_ones() { return Variable(array::ones({2})); }

// x c c c ..., which retains both factors each time.
Variable make_chain(const Variable& x, const Variable& c = make_ones()) {
  Variable y = x;
  for (int i = 0; i < kLength; ++i) y = testing::mul(y, c);
  return y;
}

double element(const Array& a, int64_t i) { return a[i].item<double>(); }

TEST(LongChainTest, GoesForwardBackwardAndAway) {
  with_small_stack([] {
    const testing::ExpectNoSurvivors survivors;
    const Variable x = chain_start();
    {
      const Variable y = make_chain(x);
      EXPECT_EQ(y.rank(), kLength);
      y.set_grad(array::array({3.0, 4.0}));
      y.backward();
    }
    EXPECT_EQ(element(x.grad(), 0), 3.0);
    EXPECT_EQ(element(x.grad(), 1), 4.0);
  });
}

TEST(LongChainTest, IsDifferentiatedTwice) {
  with_small_stack([] {
    const testing::ExpectNoSurvivors survivors;
    const Variable x = chain_start();
    const Variable c = make_ones();
    const Variable y = make_chain(testing::mul(x, x), c);
    const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
    EXPECT_EQ(element(gx.data(), 1), -4.0);
    EXPECT_GT(gx.rank(), kLength);
    testing::sum(make_chain(gx)).backward();
    EXPECT_EQ(element(x.grad(), 0), 2.0);
    // gx = 2 x c^n.
    EXPECT_EQ(element(c.grad(), 1), -4.0 * kLength);
  });
}

TEST(LongChainTest, KeepsItsGradientsAndGoesAway) {
  with_small_stack([] {
    const testing::ExpectNoSurvivors survivors;
    const Variable x = chain_start();
    const Variable c = make_ones();
    const Variable y = testing::sum(make_chain(testing::mul(x, x), c));
    y.backward({.retain_grad = true, .enable_double_backprop = true});
    EXPECT_EQ(element(x.grad(), 1), -4.0);
    EXPECT_EQ(element(c.grad(), 1), 4.0 * kLength);
    EXPECT_GT(c.grad_var().rank(), kLength);
  });
}

TEST(LongChainTest, GoesAwayWithoutBackward) {
  with_small_stack([] {
    const testing::ExpectNoSurvivors survivors;
    make_chain(chain_start());
  });
}

TEST(LongChainTest, IsUnchained) {
  with_small_stack([] {
    const testing::ExpectNoSurvivors survivors;
    const Variable x = chain_start();
    const Variable y = make_chain(x);
    y.unchain_backward();
    EXPECT_EQ(y.creator_node(), nullptr);
    EXPECT_EQ(element(y.data(), 0), 0.5);
  });
}

TEST(LongChainTest, GivesAComputationalGraph) {
  with_small_stack([] {
    const Variable y = make_chain(chain_start());
    const ComputationalGraph graph =
        build_computational_graph({y}, {.remove_variable = true});
    EXPECT_EQ(graph.nodes().size(), kLength);
    EXPECT_EQ(graph.edges().size(), kLength - 1);
  });
}

// Every intermediate variable is held; they are released in the order of
// creation.
TEST(LongChainTest, GoesAwayFromTheFront) {
  with_small_stack([] {
    const testing::ExpectNoSurvivors survivors;
    std::vector<Variable> all = {chain_start()};
    for (int i = 0; i < kLength; ++i) all.push_back(testing::neg(all.back()));
    for (Variable& v : all) v = Variable();
  });
}

}  // namespace
}  // namespace catena
