#include "catena/tests/numbers/layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {
namespace {

TEST(LayoutsTest, HoldTheSameElementsInDifferentPlaces) {
  const Array a = array::arange(24).reshape({2, 3, 4});
  std::set<std::vector<int64_t>> strides;
  for (const Layout& layout : every_layout()) {
    const Array b = layout.of(a);
    EXPECT_THAT(b, IsArray(a)) << layout.name;
    strides.insert({b.strides().begin(), b.strides().end()});
  }
  EXPECT_EQ(strides.size(), every_layout().size());
}

TEST(LayoutsTest, HoldNoElementsAndSingleOnes) {
  for (const Array& a : {array::zeros({0, 3}), array::full({}, -2.5),
                         array::zeros({1}, Dtype::kBool)}) {
    for (const Layout& layout : every_layout()) {
      EXPECT_THAT(layout.of(a), IsArray(a)) << layout.name;
    }
  }
}

}  // namespace
}  // namespace catena::testing
