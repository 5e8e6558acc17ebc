// The code of autograd/README.md: compiled, run, and compared with the page.

#include "catena/docs/autograd_readme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;

TEST(AutogradReadmeTest, DifferentiatesTwice) {
  const Variable x(array::array({1.0, 2.0}));  // explicit: gets a gradient
  const Variable y = x * x;
  const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
  const Variable ggx = grad({gx}, {x})[0];  // 2, 2
  EXPECT_THAT(gx.data(), IsArray(array::array({2.0, 4.0})));
  EXPECT_THAT(ggx.data(), IsArray(array::array({2.0, 2.0})));
}

TEST(AutogradReadmeTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("autograd/README.md",
                                       "docs/autograd_readme_test.cc", 2);
}

}  // namespace
