#include "catena/array/assign_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "catena/array/channels_last.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;

class AssignAllTest : public catena::testing::DeviceTest {
 protected:
  // Assigns numbers to each `to`, and nothing around it.
  void expect_assigned(const std::vector<xp::Assignment>& assignments) {
    for (const auto& [to, from] : assignments) {
      from.assign(
          xp::arange(from.size()).astype(from.dtype()).reshape(from.shape()));
    }
    xp::assign_all(assignments);
    for (const auto& [to, from] : assignments) {
      EXPECT_THAT(to, IsArray(from.astype(to.dtype())));
    }
  }
};

// Rows of every size of a word, and longer than a block's tile.
TEST_P(AssignAllTest, CopiesRowsOfEverySize) {
  for (const Dtype dtype : {Dtype::kInt8, Dtype::kFloat16, Dtype::kFloat64}) {
    for (const int64_t columns : {1, 2, 3, 7, 16, 650, 5000}) {
      SCOPED_TRACE(columns);
      const Array to = xp::full({5, columns + 4}, 9, dtype);
      const Array from = xp::zeros({5, columns}, dtype);
      const Array short_from = xp::zeros({5, 1}, dtype);
      expect_assigned(
          {{.to = to[{Slice(), Slice(1, columns + 1)}], .from = from},
           {.to = to[{Slice(), Slice(columns + 2, columns + 3)}],
            .from = short_from}});
      for (const int64_t kept : {int64_t{0}, columns + 1, columns + 3}) {
        EXPECT_THAT((to[{Slice(), kept}]), IsArray(xp::full({5}, 9, dtype)));
      }
    }
  }
}

TEST_P(AssignAllTest, CopiesManyRows) {
  const Array to = xp::zeros({3000, 2, 3});
  expect_assigned({{.to = to[{Slice(), 0}], .from = xp::zeros({3000, 3})},
                   {.to = to[{Slice(), 1}], .from = xp::zeros({3, 3000}).T()}});
}

TEST_P(AssignAllTest, CopiesMoreArraysThanOneLaunchHas) {
  const Array to = xp::zeros({150, 40});
  std::vector<xp::Assignment> assignments;
  for (int64_t i = 0; i < 150; ++i) {
    const int64_t size = i % 40;
    assignments.push_back(
        {.to = to[{i, Slice(0, size)}], .from = xp::zeros({size})});
  }
  expect_assigned(assignments);
}

TEST_P(AssignAllTest, CopiesAnyLayout) {
  const Array plain = xp::zeros({2, 3, 4, 5});
  expect_assigned({
      {.to = plain, .from = xp::zeros({5, 4, 3, 2}).T()},
      {.to = xp::zeros({6, 4}).T(), .from = xp::zeros({6, 4}).T()},
      {.to = xp::zeros({7})[{Slice({}, {}, -1)}], .from = xp::zeros({7})},
      {.to = xp::empty_channels_last({2, 3, 4, 5}, Dtype::kFloat64, device()),
       .from = xp::zeros({2, 3, 4, 5})},
      {.to = xp::zeros({}), .from = xp::zeros({})},
      {.to = xp::zeros({0, 3}), .from = xp::zeros({0, 3})},
      {.to = xp::zeros({3, 1, 4})[{Slice(), Slice(), Slice(0, 2)}],
       .from = xp::zeros({3, 1, 2})},
  });
  const Array repeated = xp::zeros({4, 3});
  const Array row = xp::array({1.0, 2.0, 3.0});
  xp::assign_all(std::vector<xp::Assignment>{
      {.to = repeated, .from = row.broadcast_to({4, 3})},
      {.to = plain, .from = xp::array(2.0).broadcast_to(plain.shape())}});
  EXPECT_THAT(repeated, IsArray(row.broadcast_to({4, 3}).copy()));
  EXPECT_THAT(plain, IsArray(xp::full({2, 3, 4, 5}, 2.0)));
}

TEST_P(AssignAllTest, Casts) {
  expect_assigned({{.to = xp::zeros({4}, Dtype::kFloat32),
                    .from = xp::zeros({4}, Dtype::kInt8)},
                   {.to = xp::zeros({4}, Dtype::kFloat32),
                    .from = xp::zeros({4}, Dtype::kFloat32)}});
}

TEST_P(AssignAllTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::assign_all(std::vector<xp::Assignment>{
                    {.to = xp::zeros({2, 3}), .from = xp::zeros({3})}});
              }),
              "assign_all: expected arrays of one shape, got "
              "(2, 3) and (3,)");
  EXPECT_THROW(
      xp::assign_all(std::vector<xp::Assignment>{
          {.to = xp::zeros({3}),
           .from = xp::zeros({3}, Dtype::kFloat64, native_device(1))}}),
      DeviceError);
  EXPECT_THROW(
      xp::assign_all(std::vector<xp::Assignment>{
          {.to = xp::zeros({}).broadcast_to({3}), .from = xp::zeros({3})}}),
      ValueError);
  xp::assign_all({});
}

INSTANTIATE_TEST_SUITE_P(All, AssignAllTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
