#include "catena/functions/array/reshape.h"

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

class ReshapeTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Reshape, ReshapeTest, testing::every_device(),
                         testing::device_name);

TEST_P(ReshapeTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      [](const Variable& x) {
        return reshape(x, {4, -1});
      },
      {testing::uniform({2, 6})});
  testing::check_function_gradients(
      [](const Variable& x) {
        return reshape(x, {0, 7});
      },
      {testing::uniform({3, 0})});
}

TEST_P(ReshapeTest, OfItsOwnShapeIsTheVariable) {
  const Variable x(testing::uniform({2, 3}));
  EXPECT_TRUE(reshape(x, {2, 3}).is_same(x));
}

TEST(ReshapeErrorTest, NamesTheShapes) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] { reshape(x, {4}); }),
              HasSubstr("Expect: prod(x.shape) == prod((4,))\n"
                        "Actual: 6 != 4\nInputs: x float64 (2, 3)"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                reshape(x, {-1, 4});
              }),
              HasSubstr("(-1, 4)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                reshape(x, {-1, -1});
              }),
              HasSubstr("at most one -1"));
  EXPECT_THAT(error_of<ValueError>([&] {
                reshape(x, {-2, 3});
              }),
              HasSubstr("(-2, 3)"));
  EXPECT_THAT(error_of<ShapeError>([&] {
                reshape(x, {int64_t{1} << 40, int64_t{1} << 40});
              }),
              HasSubstr("reshape"));
}

}  // namespace
}  // namespace catena::functions
