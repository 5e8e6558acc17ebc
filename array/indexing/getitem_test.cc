#include "catena/array/indexing/getitem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/testing/golden_index.h"
#include "catena/array/indexing/testing/index_reference.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::integers_of;
using catena::testing::IsArray;
using catena::testing::Selected;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

class GetitemTest : public catena::testing::DeviceTest {};

TEST_P(GetitemTest, IndexArraysBroadcastAgainstEachOther) {
  const Array a = xp::arange(12).reshape({3, 4});
  const Array rows = xp::array({{0}, {2}});
  const Array columns = xp::array({1, -1});
  EXPECT_THAT(xp::getitem(a, {rows, columns}),
              IsArray(xp::array({{1, 3}, {9, 11}})));
}

TEST_P(GetitemTest, WithoutArraysItIsAView) {
  const Array a = xp::zeros({3, 4});
  EXPECT_EQ(xp::getitem(a, {1, newaxis, Slice()}).storage(), a.storage());
}

TEST_P(GetitemTest, ArraysThatStandApartComeFirst) {
  const Array a = xp::zeros({2, 3, 4, 5});
  const Array one = xp::array({0, 1, 1, 0, 1, 0, 1});
  EXPECT_EQ(xp::getitem(a, {Slice(), one, one}).shape(), Shape({2, 7, 5}));
  EXPECT_EQ(xp::getitem(a, {one, Slice(), one}).shape(), Shape({7, 3, 5}));
  EXPECT_EQ(xp::getitem(a, {Slice(), 0, Slice(), one}).shape(),
            Shape({7, 2, 4}));
  EXPECT_EQ(xp::getitem(a, {Slice(), 0, one}).shape(), Shape({2, 7, 5}));
}

TEST_P(GetitemTest, AMaskSelectsInCOrderWhateverTheLayout) {
  const Array a = xp::arange(6).reshape({2, 3});
  const Array mask = xp::array({{true, false, true}, {false, true, true}});
  EXPECT_THAT(xp::getitem(a, {mask}), IsArray(xp::array({0, 2, 4, 5})));
  EXPECT_THAT(xp::getitem(a.T(), {mask.T()}), IsArray(xp::array({0, 4, 2, 5})));
  EXPECT_THAT(xp::getitem(a, {xp::array({false, true})}),
              IsArray(xp::array({{3, 4, 5}})));
  EXPECT_EQ(xp::getitem(a, {xp::array(true)}).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(xp::getitem(a, {xp::array(false)}).shape(), Shape({0, 2, 3}));
}

TEST_P(GetitemTest, AssignmentCastsAndBroadcasts) {
  const Array a = xp::zeros({2, 3}, Dtype::kInt32);
  xp::setitem(a, {xp::array({1, 0}), Slice(0, 2)}, xp::array({1.9, 2.9}));
  EXPECT_THAT(a, IsArray(xp::array({{1, 2, 0}, {1, 2, 0}}, Dtype::kInt32)));
  const Array mask = xp::array({{true, false, true}, {false, false, true}});
  xp::setitem(a, {mask}, 7);
  EXPECT_THAT(a, IsArray(xp::array({{7, 2, 7}, {1, 2, 7}}, Dtype::kInt32)));
  xp::setitem(a, {mask}, xp::array({3, 4, 5}));
  EXPECT_THAT(a, IsArray(xp::array({{3, 2, 4}, {1, 2, 5}}, Dtype::kInt32)));
  xp::setitem(a, {1}, 0);
  EXPECT_THAT(a, IsArray(xp::array({{3, 2, 4}, {0, 0, 0}}, Dtype::kInt32)));
}

TEST_P(GetitemTest, OfValuesForOneElementTheLastRemains) {
  const Array a = xp::zeros({3}, Dtype::kInt64);
  xp::setitem(a, {xp::array({1, 1, 1})}, xp::array({5, 6, 7}));
  EXPECT_THAT(a, IsArray(xp::array({0, 7, 0})));
}

TEST_P(GetitemTest, AddAtAddsAsOftenAsAnElementIsSelected) {
  const Array a = xp::zeros({2, 2}, Dtype::kFloat16);
  xp::add_at(a, {xp::array({0, 1, 0, 0}), 1}, xp::array({1., 2., 4., 8.}));
  EXPECT_THAT(a, IsArray(xp::array({{0, 13}, {0, 2}}, Dtype::kFloat16)));
  xp::add_at(a, {Slice(), 0}, 1);
  EXPECT_THAT(a, IsArray(xp::array({{1, 13}, {1, 2}}, Dtype::kFloat16)));
}

TEST_P(GetitemTest, ValuesAndIndicesMayBePartsOfTheTarget) {
  const Array a = xp::arange(6);
  xp::setitem(a, {xp::arange(5, -1, -1)}, a);
  EXPECT_THAT(a, IsArray(xp::array({5, 4, 3, 2, 1, 0})));
  xp::setitem(a, {a}, xp::array({10, 11, 12, 13, 14, 15}));
  EXPECT_THAT(a, IsArray(xp::array({15, 14, 13, 12, 11, 10})));
}

TEST_P(GetitemTest, RandomIndexesReadAsTheSlowModelDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const Shape shape = catena::testing::random_shape(random);
    const Array a = catena::testing::random_layout(shape, random);
    const auto indexes = catena::testing::random_index(shape, random);
    const Selected expected = catena::testing::select_slowly(shape, indexes);
    const Array result = xp::getitem(a, indexes);
    ASSERT_EQ(result.shape(), expected.shape) << "case " << i;
    ASSERT_TRUE(result.is_contiguous());
    ASSERT_THAT(integers_of(result), ElementsAreArray(expected.positions))
        << "case " << i << ", shape " << shape;
  }
}

// Values for what an index selects, of some shape that broadcasts.
Array random_values(const Shape& selected, std::mt19937_64& random) {
  Shape shape = selected;
  while (!shape.empty() && random() % 4 == 0) shape.erase(0);
  for (int64_t& extent : shape) {
    if (random() % 4 == 0) extent = 1;
  }
  return xp::arange(1, 1 + size_of(shape)).reshape(shape);
}

TEST_P(GetitemTest, RandomIndexesWriteAsTheSlowModelDoes) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 3000; ++i) {
    const Shape shape = catena::testing::random_shape(random);
    const Array a =
        catena::testing::random_layout(shape, random, Dtype::kInt32);
    const auto indexes = catena::testing::random_index(shape, random);
    const Selected selected = catena::testing::select_slowly(shape, indexes);
    const Array values = random_values(selected.shape, random);
    std::vector<int64_t> expected = integers_of(a);
    const std::vector<int64_t> given =
        integers_of(values.broadcast_to(selected.shape));
    const bool adds = random() % 2 == 0;
    for (size_t k = 0; k < given.size(); ++k) {
      int64_t& target = expected[selected.positions[k]];
      target = adds ? target + given[k] : given[k];
    }
    if (adds) {
      xp::add_at(a, indexes, values);
    } else {
      xp::setitem(a, indexes, values);
    }
    ASSERT_THAT(integers_of(a), ElementsAreArray(expected))
        << "case " << i << ", shape " << shape << (adds ? " add" : " set");
  }
}

TEST_P(GetitemTest, LargeOnesDoNotDependOnThreads) {
  const Array a = xp::arange(3 * 100000).reshape({100000, 3});
  const Array rows = xp::remainder(xp::arange(200000) * 7919, 100000);
  const Array mask = xp::equal(xp::remainder(a, 3), 1);
  const int threads = get_num_threads();
  set_num_threads(1);
  const Array one = xp::getitem(a, {rows, Slice({}, {}, -1)});
  const Array one_masked = xp::getitem(a, {mask});
  const Array one_sum = a.copy();
  xp::add_at(one_sum, {rows}, xp::arange(600000).reshape({200000, 3}));
  set_num_threads(3);
  EXPECT_THAT(xp::getitem(a, {rows, Slice({}, {}, -1)}), IsArray(one));
  EXPECT_THAT(xp::getitem(a, {mask}), IsArray(one_masked));
  const Array sum = a.copy();
  xp::add_at(sum, {rows}, xp::arange(600000).reshape({200000, 3}));
  EXPECT_THAT(sum, IsArray(one_sum));
  set_num_threads(threads);
  EXPECT_THAT(one[5], IsArray(a[{7919 * 5, Slice({}, {}, -1)}].copy()));
}

// A GPU's error comes when the host waits, and leaves out only that index.
TEST_P(GetitemTest, AnIndexOutOfRangeIsNamed) {
  const Array a = xp::zeros({2, 3});
  EXPECT_THAT(
      error_of<IndexError>([&] {
        xp::getitem(a, {Slice(), xp::array({0, 3, 0})});
        synchronize(device());
      }),
      HasSubstr("getitem: index 3 is out of range for axis 1 with extent 3"));
  EXPECT_THAT(
      error_of<IndexError>([&] {
        xp::setitem(a, {xp::array({0, 1, -3}), xp::array({0, 0, 0})}, 1);
        synchronize(device());
      }),
      HasSubstr("setitem: index -3 is out of range for axis 0 with extent 2"));
  EXPECT_THAT(error_of<IndexError>([&] {
                xp::add_at(
                    a, {0, xp::array({std::numeric_limits<uint64_t>::max()})},
                    1);
                synchronize(device());
              }),
              HasSubstr("out of range for axis 1"));
  EXPECT_THAT(error_of<IndexError>([&] {
                (xp::getitem(a, {2, xp::array({0})}));
              }),
              "index: 2 is out of range for axis 0 with extent 2");
  const double written = device().is_native() ? 0 : 1;
  EXPECT_THAT(a, IsArray(xp::array({{written, 0., 0.}, {written, 0., 0.}})));
}

TEST_P(GetitemTest, AMaskOfAnotherShapeIsRefused) {
  EXPECT_THAT(
      error_of<IndexError>([] {
        xp::getitem(xp::zeros({2, 3}), {xp::zeros({2, 2}, Dtype::kBool)});
      }),
      "getitem: expected a mask with extent 3 along axis 1, got a mask of "
      "shape (2, 2) for an array of shape (2, 3)");
}

TEST_P(GetitemTest, WhatDoesNotFitIsRefused) {
  const Array a = xp::zeros({2, 3});
  const Array i = xp::array({0, 1});
  EXPECT_THAT(error_of<IndexError>([&] {
                (xp::getitem(a, {i, i, i}));
              }),
              HasSubstr("too many indexes: 3"));
  EXPECT_THROW((xp::getitem(a, {i, xp::array({0, 1, 1})})), ShapeError);
  EXPECT_THAT(
      error_of<DtypeError>([&] { (xp::getitem(a, {xp::array({0.5})})); }),
      "getitem: expected integer indices, got float64");
  EXPECT_THAT(error_of<ShapeError>([&] {
                xp::setitem(a, {i}, xp::zeros({3, 3}));
              }),
              HasSubstr("setitem"));
  EXPECT_THROW(xp::setitem(a, {i}, xp::zeros({1, 2, 3})), ShapeError);
  EXPECT_THROW(xp::setitem(xp::zeros({3}).broadcast_to({2, 3}), {i}, 0),
               ValueError);
}

INSTANTIATE_TEST_SUITE_P(All, GetitemTest, catena::testing::every_device(),
                         catena::testing::device_name);

TEST(GetitemDeviceTest, TheIndexHasToBeOnTheDeviceOfTheArray) {
  const Array i = xp::zeros({1}, Dtype::kInt64, native_device(1));
  EXPECT_THAT(error_of<DeviceError>([&] { xp::getitem(xp::zeros({2}), {i}); }),
              HasSubstr("native:1"));
}

class GetitemGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(GetitemGoldenTest, ReadsAndWritesAsNumpyDoes) {
  const std::vector<AdvancedIndex> indexes =
      catena::testing::golden_index(golden(), device());
  const Array a = array("in0");
  const Array expected = golden().array("out0");
  if (golden().attr<std::string>("op") == "getitem") {
    EXPECT_THAT(xp::getitem(a, indexes), IsArray(expected));
  } else {
    xp::setitem(a, indexes, array("in1"));
    EXPECT_THAT(a, IsArray(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Numpy, GetitemGoldenTest,
    catena::testing::every_device_and_case("array/indexing"),
    catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
