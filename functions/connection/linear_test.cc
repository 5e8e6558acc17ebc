#include "catena/functions/connection/linear.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class LinearTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Linear, LinearTest, testing::every_device(),
                         testing::device_name);

TEST_P(LinearTest, GradientsMatchFiniteDifferences) {
  const Array W = testing::uniform({2, 6}, -1, 1, Dtype::kFloat64, 1);
  const Array b = testing::uniform({2}, -1, 1, Dtype::kFloat64, 2);
  const auto affine = [](const Variable& x, const Variable& W,
                         const Variable& b) { return linear(x, W, b); };
  const auto product = [](const Variable& x, const Variable& W) {
    return linear(x, W);
  };
  testing::check_function_gradients(affine, {testing::uniform({3, 6}), W, b});
  testing::check_function_gradients(affine, {testing::uniform({0, 6}), W, b});
  testing::check_function_gradients(product, {testing::uniform({3, 2, 3}), W});
  testing::check_function_gradients(
      product, {testing::uniform({2, 0}), testing::uniform({3, 0})});
  testing::check_function_gradients(
      [](const Variable& x, const Variable& W, const Variable& b) {
        return linear(x, W, b, {.n_batch_axes = 2});
      },
      {testing::uniform({2, 3, 2, 3}), W, b});
}

// After the first, gradients of weights are added where the sum is, some uses
// at a time or, of many rows, each by itself, whether the weights are a leaf or
// computed.
TEST_P(LinearTest, GradientsOfSharedWeightsAddUp) {
  constexpr std::pair<uint64_t, int64_t> kUsesAndRows[] = {
      {1, 4}, {2, 4}, {3, 4}, {70, 4}, {1, 130}, {2, 130}, {3, 130}};
  for (const auto& [uses, rows] : kUsesAndRows) {
    SCOPED_TRACE(str(uses, " uses of ", rows, " rows"));
    const Variable W(testing::uniform({2, 3}));
    const Variable computed = reshape(W, {2, 3});
    const Variable b(testing::uniform({2}));
    Array gW = array::zeros({2, 3});
    Array gb = array::zeros({2});
    std::vector<Variable> ys;
    std::vector<Variable> gys;
    for (uint64_t seed = 1; seed <= uses; ++seed) {
      const Array x = testing::uniform({rows, 3}, -1, 1, Dtype::kFloat64, seed);
      const Array gy =
          testing::uniform({rows, 2}, -1, 1, Dtype::kFloat64, 100 + seed);
      gW += array::matmul(gy, x, {.transa = true});
      gb += gy.sum({0});
      for (const Variable& weight : {W, computed}) {
        ys.push_back(linear(Variable(x), weight, b));
        gys.push_back(as_variable(gy));
      }
    }
    backward(ys, gys);
    EXPECT_THAT(W.grad(), testing::IsClose(gW * 2.0));
    EXPECT_THAT(b.grad(), testing::IsClose(gb * 2.0));
    // Again, onto what is there.
    backward(ys, gys);
    EXPECT_THAT(W.grad(), testing::IsClose(gW * 4.0));
    EXPECT_THAT(b.grad(), testing::IsClose(gb * 4.0));
  }
}

TEST(LinearMemoryTest, FrozenWeightsLetTheInputGo) {
  const Variable x(array::zeros({1000, 8}));
  const Variable W = as_variable(array::zeros({1, 8}));
  const testing::ExpectNoSurvivors survivors;
  {
    const Variable y = linear(x + x, W);
    EXPECT_LT(survivors.bytes(), x.data().nbytes());
  }
}

TEST(LinearErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({32, 784}, Dtype::kFloat32));
  const Variable W(array::zeros({10, 100}, Dtype::kFloat32));
  EXPECT_THAT(
      error_of<InvalidType>([&] { linear(x, W); }),
      HasSubstr("Invalid operation is performed in: linear (Forward)\n\n"
                "Expect: x.shape[1] == W.shape[1]\nActual: 784 != 100\n"
                "Inputs: x float32 (32, 784), W float32 (10, 100)"));
  const Variable V(array::zeros({10, 784}, Dtype::kFloat32));
  EXPECT_THAT(
      error_of<InvalidType>(
          [&] { linear(x, V, Variable(array::zeros({10}))); }),
      HasSubstr("Expect: b.dtype == x.dtype\nActual: float64 != float32"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                linear(x, V, Variable(array::zeros({9}, Dtype::kFloat32)));
              }),
              HasSubstr("Expect: b.shape[0] == W.shape[0]\nActual: 9 != 10"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                linear(Variable(array::zeros({784}, Dtype::kFloat32)), V);
              }),
              HasSubstr("Expect: x.ndim == 2"));
  EXPECT_THAT(
      error_of<ValueError>([&] { linear(x, V, {}, {.n_batch_axes = 0}); }),
      HasSubstr("expected n_batch_axes of at least 1, got 0"));
}

TEST(LinearErrorTest, NamesBothDevices) {
  const Variable x(array::zeros({2, 3}));
  const Variable W(array::zeros({4, 3}).to_device(native_device(1)));
  EXPECT_THAT(error_of<DeviceError>([&] { linear(x, W); }),
              HasSubstr("linear: expected inputs on one device, got "
                        "native:0 and native:1"));
}

}  // namespace
}  // namespace catena::functions
