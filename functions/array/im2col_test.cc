#include "catena/functions/array/im2col.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/spatial.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class Im2colTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Im2col, Im2colTest, testing::every_device(),
                         testing::device_name);

TEST_P(Im2colTest, GradientsMatchFiniteDifferences) {
  const auto wide = [](const Variable& x) {
    return im2col(x, {2, 3},
                  {.stride = {2, 1}, .pad = {0, 2}, .cover_all = true});
  };
  testing::check_function_gradients(wide, {testing::uniform({2, 2, 3, 4})});
  testing::check_function_gradients(wide, {testing::uniform({0, 2, 3, 4})});
  // The last column is seen by no window.
  testing::check_function_gradients(
      [](const Variable& x) { return im2col(x, 1, {.stride = 2}); },
      {testing::uniform({1, 1, 3, 4})});
}

TEST(Im2colErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({1, 2, 3, 4}));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        im2col(x, {4, 1});
      }),
      HasSubstr("Expect: a window of (4, 1) with dilate (1, 1) fits into x "
                "and its pad (0, 0)\nActual: spatial axes (3, 4)"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                im2col(Variable(array::zeros({2, 3, 4})), 1);
              }),
              HasSubstr("Expect: x.ndim == 4"));
  EXPECT_THAT(error_of<ValueError>([&] { im2col(x, 0); }),
              HasSubstr("im2col: expected ksize of at least 1, got (0,)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                im2col(x, 1, {.stride = {1, 2, 3}});
              }),
              HasSubstr("as stride"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                im2col(Variable(array::zeros({1, 1, 1, 1}, Dtype::kInt32)), 1);
              }),
              HasSubstr("x.dtype is floating"));
}

}  // namespace
}  // namespace catena::functions
