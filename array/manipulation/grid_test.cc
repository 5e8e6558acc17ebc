#include "catena/array/manipulation/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/getitem.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena {
namespace {

namespace xp = catena::array;
using catena::testing::IsArray;

class GridTest : public catena::testing::DeviceTest {};

TEST_P(GridTest, IxSelectsAllRowsWithAllColumns) {
  const Array a = xp::arange(12).reshape({3, 4});
  const std::vector<Array> g =
      xp::ix_({xp::array({true, false, true}), xp::array({3, 1})});
  EXPECT_EQ(g[0].shape(), Shape({2, 1}));
  EXPECT_EQ(g[1].shape(), Shape({1, 2}));
  EXPECT_THAT(xp::getitem(a, {g[0], g[1]}),
              IsArray(xp::array({{3, 1}, {11, 9}})));
  EXPECT_THROW(xp::ix_({xp::zeros({1, 1}, Dtype::kInt64)}), ShapeError);
  EXPECT_THROW(xp::ix_({xp::zeros({1})}), DtypeError);
}

TEST_P(GridTest, MeshgridRunsAlongColumnsFirstUnlessToldOtherwise) {
  const Array x = xp::array({1, 2, 3});
  const Array y = xp::array({4., 5.});
  const std::vector<Array> xy = xp::meshgrid({x, y});
  EXPECT_THAT(xy[0], IsArray(xp::array({{1, 2, 3}, {1, 2, 3}})));
  EXPECT_THAT(xy[1], IsArray(xp::array({{4., 4., 4.}, {5., 5., 5.}})));
  const std::vector<Array> ij =
      xp::meshgrid({x, y}, {.indexing = xp::GridIndexing::kIJ});
  EXPECT_THAT(ij[0], IsArray(xy[0].T()));
  EXPECT_THAT(ij[1], IsArray(xy[1].T()));
  EXPECT_EQ(xp::meshgrid({x, y, x})[2].shape(), Shape({2, 3, 3}));
}

TEST_P(GridTest, SparseGridsAndViewsTakeNoMemory) {
  const Array x = xp::array({1, 2, 3});
  const std::vector<Array> sparse =
      xp::meshgrid({x, x}, {.sparse = true, .copy = false});
  EXPECT_EQ(sparse[0].shape(), Shape({1, 3}));
  EXPECT_EQ(sparse[1].shape(), Shape({3, 1}));
  EXPECT_EQ(sparse[1].storage(), x.storage());
  EXPECT_EQ(xp::meshgrid({x, x}, {.copy = false})[0].storage(), x.storage());
  EXPECT_NE(xp::meshgrid({x})[0].storage(), x.storage());
  EXPECT_THROW(xp::meshgrid({xp::zeros({1, 1})}), ShapeError);
}

INSTANTIATE_TEST_SUITE_P(All, GridTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
