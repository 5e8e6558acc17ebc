#include "catena/functions/plan/internal/elementwise_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/activation_ops.h"
#include "catena/functions/engines/rules/arithmetic_ops.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::functions {
namespace {

using ::catena::testing::IsArray;

Array random(int64_t size, Dtype dtype) {
  return array::random::uniform(-1.0, 1.0, {size}, dtype);
}

// With sizes of less than a tile, of several that end within a cache line, and
// so large that results are stored past the caches.
TEST(ElementwiseChainTest, GivesTheBitsOfTheFunctions) {
  const ElementwiseNode<Multiply> multiply;
  const ElementwiseNode<Add> add;
  const ElementwiseNode<Relu> relu;
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    // x * y, x * y + number, relu of it, their product: the second and the last
    // are stored.
    const ElementwiseChain::Call calls[] = {
        {&multiply, {0, 1}}, {&add, {3, 2}}, {&relu, {4}}, {&multiply, {5, 3}}};
    const int outputs[] = {6, 4};
    const ElementwiseChain chain(dtype, 3, calls, outputs);
    for (const int64_t size : {1, 63, 20'001, 4'500'000}) {
      const Array x = random(size, dtype);
      const Array y = random(size, dtype);
      const Array number = random(1, dtype);
      const Array product = array::empty_like(x);
      const Array sum = array::empty_like(x);
      const Array arrays[] = {x, y, number, product, sum};
      chain.run(arrays);
      const Array expected = x * y + number;
      EXPECT_THAT(sum, IsArray(expected)) << dtype << ' ' << size;
      EXPECT_THAT(product, IsArray(array::maximum(expected, 0) * (x * y)))
          << dtype << ' ' << size;
    }
  }
}

TEST(ElementwiseChainTest, KeepsABufferWhileItIsRead) {
  const ElementwiseNode<Add> add;
  // a = x + x, b = a + x, c = b + a, d = c + b, e = d + a
  const ElementwiseChain::Call calls[] = {{&add, {0, 0}},
                                          {&add, {1, 0}},
                                          {&add, {2, 1}},
                                          {&add, {3, 2}},
                                          {&add, {4, 1}}};
  const int outputs[] = {5};
  const ElementwiseChain chain(Dtype::kFloat32, 1, calls, outputs);
  const Array x = array::floor(random(10'000, Dtype::kFloat32) * 100.0);
  const Array y = array::empty_like(x);
  const Array arrays[] = {x, y};
  chain.run(arrays);
  EXPECT_THAT(y, IsArray(x * 10.0));
}

TEST(ElementwiseChainTest, TakesEmptyArrays) {
  const ElementwiseNode<Add> add;
  const ElementwiseChain::Call calls[] = {{&add, {0, 0}}, {&add, {1, 0}}};
  const int outputs[] = {2};
  const ElementwiseChain chain(Dtype::kFloat32, 1, calls, outputs);
  const Array arrays[] = {random(0, Dtype::kFloat32),
                          random(0, Dtype::kFloat32)};
  chain.run(arrays);
}

}  // namespace
}  // namespace catena::functions
