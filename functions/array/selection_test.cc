#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/array/as_strided.h"
#include "catena/functions/array/diagonal.h"
#include "catena/functions/array/permutate.h"
#include "catena/functions/array/select_item.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class SelectionTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Selection, SelectionTest, testing::every_device(),
                         testing::device_name);

TEST_P(SelectionTest, GradientsMatchFiniteDifferences) {
  const Array t = array::array({2, -1, 0}, Dtype::kInt32);
  const auto select = [&](const Variable& x) { return select_item(x, t); };
  testing::check_function_gradients(select, {testing::uniform({3, 4})});
  testing::check_function_gradients(
      [](const Variable& x) {
        return select_item(x, array::zeros({0}, Dtype::kInt64));
      },
      {testing::uniform({0, 2})});
  const Array order = array::array({2, 0, 1});
  for (const bool inv : {false, true}) {
    testing::check_function_gradients(
        [&](const Variable& x) {
          return permutate(x, order, {.axis = -2, .inv = inv});
        },
        {testing::uniform({2, 3, 2})});
  }
  for (const int64_t offset : {-1, 0, 2, 5}) {
    testing::check_function_gradients(
        [&](const Variable& x) {
          return diagonal(x, {.offset = offset, .axis1 = 2, .axis2 = 0});
        },
        {testing::uniform({3, 2, 4})});
  }
}

TEST_P(SelectionTest, InversePermutationUndoesAPermutation) {
  const Array x = testing::uniform({4, 2});
  const Array order = array::array({3, 1, 0, 2});
  const Variable y = permutate(Variable(x), order);
  EXPECT_THAT(
      y.data(),
      testing::IsArray(
          array::array({x.to_vector<double>()[6], x.to_vector<double>()[7],
                        x.to_vector<double>()[2], x.to_vector<double>()[3],
                        x.to_vector<double>()[0], x.to_vector<double>()[1],
                        x.to_vector<double>()[4], x.to_vector<double>()[5]})
              .reshape({4, 2})));
  EXPECT_THAT(permutate(y, order, {.inv = true}).data(), testing::IsArray(x));
}

TEST_P(SelectionTest, StridesMayOverlapAndGoBackwards) {
  testing::check_function_gradients(
      [](const Variable& x) {
        return as_strided(x, {3, 2}, {-2, 1}, {.storage_offset = 4});
      },
      {testing::uniform({2, 3})});
  // Positions count the elements in C order, whatever the memory looks like.
  const Variable x(array::arange(6).reshape({2, 3}).transpose());
  EXPECT_THAT(as_strided(x, {3}, {2}).data(),
              testing::IsArray(array::array({0, 1, 2})));
  EXPECT_EQ(as_strided(x, {0, 2}, {100, 100}).size(), 0);
}

TEST(SelectionErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  const Array t = array::array({0, 1});
  const auto expect_invalid = [](const std::function<void()>& f,
                                 const std::string& message) {
    EXPECT_THAT(error_of<InvalidType>(f), HasSubstr(message));
  };
  expect_invalid([&] { select_item(Variable(array::zeros({2})), t); },
                 "select_item (Forward)\n\nExpect: x.ndim == 2");
  expect_invalid([&] { select_item(x, array::array({0})); },
                 "Expect: x.shape[0] == t.shape[0]\nActual: 2 != 1");
  expect_invalid([&] { select_item(x, array::zeros({2})); },
                 "select_item: expected integers t (N,), got float64 (2,)");
  EXPECT_THAT(error_of<IndexError>([&] {
                select_item(x, array::array({0, 3}));
              }),
              HasSubstr("3"));
  expect_invalid([&] { permutate(x, t, {.axis = 2}); },
                 "permutate (Forward)\n\nExpect: x.ndim > 2");
  expect_invalid([&] { permutate(x, t, {.axis = 1}); },
                 "Expect: x.shape[1] == indices.size\nActual: 3 != 2");
  expect_invalid([&] { permutate(x, array::zeros({2})); },
                 "permutate: expected integer indices (n,), got float64 (2,)");
  EXPECT_THAT(error_of<ValueError>([&] {
                permutate(x, array::array({1, 1}));
              }),
              HasSubstr("permutate: expected each of the indices from 0 to "
                        "1 once, but 0 is missing"));
  EXPECT_THAT(error_of<ValueError>([&] {
                permutate(x, array::array({0, -1}));
              }),
              HasSubstr("expected indices from 0 to 1, got -1"));
  EXPECT_THAT(error_of<ValueError>([&] {
                permutate(x, array::array({0, 2}));
              }),
              HasSubstr("expected indices from 0 to 1, got 2"));
  expect_invalid([] { diagonal(Variable(array::zeros({3}))); },
                 "diagonal (Forward)\n\nExpect: x.ndim >= 2");
  expect_invalid([&] { diagonal(x, {.axis2 = 2}); }, "Expect: x.ndim > 2");
  EXPECT_THAT(error_of<ValueError>([&] { diagonal(x, {.axis2 = -2}); }),
              HasSubstr("diagonal"));
}

TEST(SelectionErrorTest, StridesReachOnlyElementsThatAreThere) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<ValueError>([&] {
                as_strided(x, {2, 3}, {1});
              }),
              HasSubstr("a stride for each axis"));
  EXPECT_THAT(error_of<ValueError>([&] {
                as_strided(x, {2, 3}, {4, 1});
              }),
              HasSubstr("expected elements 0 to 5 of x (2, 3), got 0 to 6"));
  EXPECT_THAT(error_of<ValueError>([&] { as_strided(x, {2}, {-1}); }),
              HasSubstr("got -1 to 0"));
  EXPECT_THAT(
      error_of<ValueError>([&] { as_strided(x, {5}, {int64_t{1} << 62}); }),
      HasSubstr("as_strided"));
  EXPECT_THAT(error_of<ShapeError>([&] { as_strided(x, {-1}, {1}); }),
              HasSubstr("as_strided"));
}

}  // namespace
}  // namespace catena::functions
