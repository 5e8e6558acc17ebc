#include "catena/functions/array/get_item.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/array/scatter_add.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class GetItemTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(GetItem, GetItemTest, testing::every_device(),
                         testing::device_name);

TEST_P(GetItemTest, GradientsMatchFiniteDifferences) {
  const Array x = testing::uniform({3, 4, 2});
  testing::check_function_gradients(
      [](const Variable& x) {
        return get_item(x, {1, Slice(0, 4, 2), newaxis});
      },
      {x});
  testing::check_function_gradients(
      [](const Variable& x) {
        return get_item(x, {Slice(2, 2), ellipsis});
      },
      {x});
  const Array indices = array::array({{0, -1}, {2, 0}});
  testing::check_function_gradients(
      [&](const Variable& x) { return get_item(x, indices, 1); }, {x});
  testing::check_function_gradients(
      [&](const Variable& x) {
        return get_item(x, {indices, Slice(1, 3), array::array({1, 0})});
      },
      {x});
}

// Compilers differ in whether {mask} is a list of indexes or the array itself.
TEST_P(GetItemTest, AMaskSelectsWithAndWithoutBraces) {
  const Array x = testing::uniform({3, 4});
  const Array mask = array::greater(x, 0);
  const Array selected = array::getitem(x, {mask});
  EXPECT_THAT(get_item(x, mask).data(), testing::IsArray(selected));
  EXPECT_THAT(get_item(x, {mask}).data(), testing::IsArray(selected));
  testing::check_function_gradients(
      [&](const Variable& y) { return get_item(y, mask); }, {x});
}

TEST_P(GetItemTest, ScatterAddHasGradientsOfBoth) {
  const Array rows = array::array({0, 2, 0});
  testing::check_function_gradients(
      [&](const Variable& a, const Variable& b) {
        return scatter_add(a, {rows, Slice(1, 3)}, b);
      },
      {testing::uniform({3, 4}), testing::uniform({3, 2})});
  testing::check_function_gradients(
      [&](const Variable& a, const Variable& b) {
        return scatter_add(a, {ellipsis, 1}, b);
      },
      {testing::uniform({3, 4}), testing::uniform({1})});
}

TEST_P(GetItemTest, ScatterAddLeavesItsInputsAlone) {
  const Variable a(array::array({1.0, 2.0}));
  const Variable y = scatter_add(a, {array::array({1, 1})},
                                 Variable(array::array({3.0, 4.0})));
  EXPECT_THAT(y.data(), testing::IsArray(array::array({1.0, 9.0})));
  EXPECT_THAT(a.data(), testing::IsArray(array::array({1.0, 2.0})));
}

TEST(GetItemErrorTest, NamesTheIndexThatIsOutOfRange) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<IndexError>([&] { get_item(x, {2}); }), HasSubstr("2"));
  EXPECT_THAT(error_of<IndexError>([&] {
                get_item(x, {0, 0, 0});
              }),
              HasSubstr("3"));
  EXPECT_THAT(error_of<IndexError>([&] {
                get_item(x, array::array({0, 5}), 1);
              }),
              HasSubstr("5"));
  EXPECT_THAT(error_of<DtypeError>([&] { get_item(x, array::zeros({1})); }),
              HasSubstr("float64"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                scatter_add(x, {0},
                            Variable(array::zeros({3}, Dtype::kFloat32)));
              }),
              HasSubstr("scatter_add (Forward)\n\nExpect: a.dtype == b.dtype"));
  EXPECT_THAT(error_of<IndexError>([&] { scatter_add(x, {5}, x); }),
              HasSubstr("5"));
  EXPECT_THAT(error_of<ShapeError>(
                  [&] { scatter_add(x, {0}, Variable(array::zeros({2}))); }),
              HasSubstr("(2,)"));
}

}  // namespace
}  // namespace catena::functions
