#include "catena/functions/connection/bilinear.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class BilinearTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Bilinear, BilinearTest, testing::every_device(),
                         testing::device_name);

Array sample(const Shape& shape, uint64_t seed) {
  return testing::uniform(shape, -1, 1, Dtype::kFloat64, seed);
}

TEST_P(BilinearTest, GradientsMatchFiniteDifferences) {
  const Array W = sample({2, 4, 3}, 1);
  const auto product = [](const Variable& e1, const Variable& e2,
                          const Variable& W) { return bilinear(e1, e2, W); };
  testing::check_function_gradients(product,
                                    {sample({5, 2}, 2), sample({5, 4}, 3), W});
  testing::check_function_gradients(
      product, {sample({5, 2, 1}, 2), sample({5, 2, 2}, 3), W});
  testing::check_function_gradients(
      product, {array::zeros({0, 2}), array::zeros({0, 4}), W});
  testing::check_function_gradients(
      [](const Variable& e1, const Variable& e2, const Variable& W,
         const Variable& V1, const Variable& V2,
         const Variable& b) { return bilinear(e1, e2, W, V1, V2, b); },
      {sample({5, 2}, 2), sample({5, 4}, 3), W, sample({2, 3}, 4),
       sample({4, 3}, 5), sample({3}, 6)});
}

TEST(BilinearErrorTest, NamesWhatDoesNotFit) {
  const auto zeros = [](const Shape& shape) {
    return Variable(array::zeros(shape));
  };
  const Variable e1 = zeros({5, 2});
  const Variable e2 = zeros({5, 4});
  const Variable W = zeros({2, 4, 3});
  const auto invalid = [](const auto& call, std::string_view text) {
    EXPECT_THAT(error_of<InvalidType>(call), HasSubstr(std::string(text)));
  };
  invalid([&] { bilinear(e2, e2, W); },
          "bilinear (Forward)\n\nExpect: e1.shape[1] == W.shape[0]\n"
          "Actual: 4 != 2");
  invalid(
      [&] {
        bilinear(e1, zeros({6, 4}), W);
      },
      "Expect: e1.shape[0] == e2.shape[0]");
  invalid([&] { bilinear(e1, e2, zeros({2, 4})); }, "Expect: W.ndim == 3");
  invalid(
      [&] {
        bilinear(e1, e2, W, zeros({2, 2}), zeros({4, 3}), zeros({3}));
      },
      "Expect: V1.shape[1] == W.shape[2]\nActual: 2 != 3");
  EXPECT_THAT(
      error_of<ValueError>([&] {
        bilinear(e1, e2, W, zeros({2, 3}));
      }),
      HasSubstr("bilinear: expected V1, V2 and b together or not at all, got "
                "1 of them"));
}

}  // namespace
}  // namespace catena::functions
