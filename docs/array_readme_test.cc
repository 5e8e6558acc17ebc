// The code of array/README.md: compiled, run, and compared with the page.

#include "catena/docs/array_readme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;

TEST(ArrayReadmeTest, BroadcastsAndWritesThroughViews) {
  Array a = xp::array({{1.0, 2.0}, {3.0, 4.0}});
  Array b = xp::exp(a) * 2 + a.T()[0];  // broadcasts
  a[{Slice(), 1}].fill(0);              // a view: writes into a
  EXPECT_THAT(a, IsArray(xp::array({{1.0, 0.0}, {3.0, 0.0}})));
  EXPECT_THAT(b[0], IsClose(2 * xp::exp(xp::array({1.0, 2.0})) +
                            xp::array({1.0, 3.0})));
}

TEST(ArrayReadmeTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("array/README.md",
                                       "docs/array_readme_test.cc", 2);
}

}  // namespace
