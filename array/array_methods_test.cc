// The methods of Array that are defined with the functions of their names.

#include <gmock/gmock.h>

#include <type_traits>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/nonzero.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/manipulation/axes.h"
#include "catena/array/manipulation/diagonal.h"
#include "catena/array/manipulation/repeat.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/sorting/sort.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/statistics/cumulative.h"
#include "catena/array/statistics/order.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;
using ::testing::HasSubstr;

class ArrayMethodsTest : public catena::testing::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    a_ = xp::array({{3.0, -1.0, 4.0}, {0.0, 5.0, -9.0}});
  }

  Array a_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayMethodsTest,
                         catena::testing::every_device(),
                         catena::testing::device_name);

TEST_P(ArrayMethodsTest, ReduceAllAxes) {
  EXPECT_EQ(a_.sum().item<double>(), 2);
  EXPECT_THAT(a_.prod(), IsArray(xp::prod(a_)));
  EXPECT_THAT(a_.mean(), IsArray(xp::mean(a_)));
  EXPECT_EQ(a_.max().item<double>(), 5);
  EXPECT_EQ(a_.min().item<double>(), -9);
  EXPECT_FALSE(a_.all().item<bool>());
  EXPECT_TRUE(a_.any().item<bool>());
  EXPECT_EQ(a_.argmax().item<int64_t>(), 4);
  EXPECT_EQ(a_.argmin().item<int64_t>(), 5);
  EXPECT_THAT(a_.var(), IsArray(xp::var(a_)));
  EXPECT_THAT(a_.std(), IsArray(xp::std(a_)));
  EXPECT_EQ(a_.ptp().item<double>(), 14);
}

TEST_P(ArrayMethodsTest, ReduceTheAxesOfTheirOptions) {
  const xp::ReduceOptions first{.axis = 0, .keepdims = true};
  EXPECT_THAT(a_.sum(first), IsArray(xp::array({{3.0, 4.0, -5.0}})));
  EXPECT_THAT(a_.prod(first), IsArray(xp::prod(a_, first)));
  EXPECT_THAT(a_.mean(first), IsArray(xp::mean(a_, first)));
  EXPECT_THAT(a_.max(first), IsArray(xp::array({{3.0, 5.0, 4.0}})));
  EXPECT_THAT(a_.min(first), IsArray(xp::array({{0.0, -1.0, -9.0}})));
  EXPECT_THAT(a_.all(first), IsArray(xp::array({{false, true, true}})));
  EXPECT_THAT(a_.any(first), IsArray(xp::array({{true, true, true}})));
  EXPECT_THAT(a_.sum({.axis = 1}), IsArray(xp::array({6.0, -4.0})));
  EXPECT_THAT(a_.argmax(1), IsArray(xp::array({2, 1})));
  EXPECT_THAT(a_.argmin(1), IsArray(xp::array({1, 2})));
  EXPECT_THAT(a_.var({.ddof = 1}), IsArray(xp::var(a_, {.ddof = 1})));
  EXPECT_THAT(a_.std({.ddof = 1}), IsArray(xp::std(a_, {.ddof = 1})));
  EXPECT_THAT(a_.ptp({.axis = 0}), IsArray(xp::array({3.0, 6.0, 13.0})));
}

TEST_P(ArrayMethodsTest, TakeAnAxisBeforeFurtherOptions) {
  const xp::ReduceOptions first{.axis = 0, .keepdims = true};
  EXPECT_THAT(a_.sum(0, {.keepdims = true}), IsArray(xp::sum(a_, first)));
  EXPECT_THAT(a_.prod(0, {.keepdims = true}), IsArray(xp::prod(a_, first)));
  EXPECT_THAT(a_.mean(0, {.keepdims = true}), IsArray(xp::mean(a_, first)));
  EXPECT_THAT(a_.max(0, {.keepdims = true}), IsArray(xp::max(a_, first)));
  EXPECT_THAT(a_.min(0, {.keepdims = true}), IsArray(xp::min(a_, first)));
  EXPECT_THAT(a_.all(0, {.keepdims = true}), IsArray(xp::all(a_, first)));
  EXPECT_THAT(a_.any(0, {.keepdims = true}), IsArray(xp::any(a_, first)));
  EXPECT_THAT(a_.argmax(1, {.keepdims = true}), IsArray(xp::array({{2}, {1}})));
  EXPECT_THAT(a_.argmin(1, {.keepdims = true}), IsArray(xp::array({{1}, {2}})));
  EXPECT_THAT(a_.var(0, {.ddof = 1}),
              IsArray(xp::var(a_, {.axis = 0, .ddof = 1})));
  EXPECT_THAT(a_.std(0, {.ddof = 1}),
              IsArray(xp::std(a_, {.axis = 0, .ddof = 1})));
  EXPECT_THAT(xp::var(a_, {0, 1}, {.ddof = 1}),
              IsArray(xp::var(a_, {.ddof = 1})));
  EXPECT_THAT(xp::count_nonzero(a_, 0, {.keepdims = true}),
              IsArray(xp::count_nonzero(a_, first)));
  EXPECT_THAT(error_of<ValueError>([&] { a_.sum(0, {.axis = 1}); }),
              HasSubstr("sum: expected the axis as an argument or "
                        "in the options, got both"));
}

TEST_P(ArrayMethodsTest, TakeTheAxisAloneOrByName) {
  EXPECT_THAT(a_.sum(1), IsArray(xp::array({6.0, -4.0})));
  EXPECT_THAT(a_.sum({0, 1}), IsArray(xp::array(2.0)));
  EXPECT_THAT(a_.prod(0), IsArray(xp::prod(a_, 0)));
  EXPECT_THAT(a_.mean(-1), IsArray(xp::mean(a_, 1)));
  EXPECT_THAT(a_.max(0), IsArray(xp::max(a_, 0)));
  EXPECT_THAT(a_.min(0), IsArray(xp::min(a_, 0)));
  EXPECT_THAT(a_.all(1), IsArray(xp::array({true, false})));
  EXPECT_THAT(a_.any(0), IsArray(xp::any(a_, 0)));
  EXPECT_THAT(a_.var(0), IsArray(xp::var(a_, 0)));
  EXPECT_THAT(a_.std(1), IsArray(xp::std(a_, 1)));
  EXPECT_THAT(a_.ptp(0), IsArray(xp::ptp(a_, 0)));
  EXPECT_THAT(a_.argmax({.axis = 1}), IsArray(a_.argmax(1)));
  EXPECT_THAT(a_.argmin({.axis = 1}), IsArray(a_.argmin(1)));
  EXPECT_THAT(a_.cumsum(0), IsArray(xp::cumsum(a_, 0)));
  EXPECT_THAT(a_.cumprod(1), IsArray(xp::cumprod(a_, 1)));
  EXPECT_THAT(a_.argsort({.axis = 0}), IsArray(a_.argsort(0)));
  EXPECT_THAT(a_.repeat(2, {.axis = 0}), IsArray(a_.repeat(2, 0)));
}

TEST_P(ArrayMethodsTest, AccumulateAndMultiply) {
  EXPECT_THAT(a_.cumsum(), IsArray(xp::cumsum(a_)));
  EXPECT_THAT(a_.cumsum({.axis = 0}),
              IsArray(xp::array({{3.0, -1.0, 4.0}, {3.0, 4.0, -5.0}})));
  EXPECT_THAT(a_.cumprod(), IsArray(xp::cumprod(a_)));
  EXPECT_THAT(a_.cumprod({.axis = 1}),
              IsArray(xp::array({{3.0, -3.0, -12.0}, {0.0, 0.0, 0.0}})));
  EXPECT_THAT(a_.dot(a_.T()),
              IsArray(xp::array({{26.0, -41.0}, {-41.0, 106.0}})));
}

TEST_P(ArrayMethodsTest, SortInPlaceAsInNumPy) {
  EXPECT_THAT(a_.argsort(), IsArray(xp::array({{1, 0, 2}, {2, 0, 1}})));
  EXPECT_THAT(a_.argsort(0), IsArray(xp::array({{1, 0, 1}, {0, 1, 0}})));
  a_.sort();
  EXPECT_THAT(a_, IsArray(xp::array({{-1.0, 3.0, 4.0}, {-9.0, 0.0, 5.0}})));
  a_.sort(0);
  EXPECT_THAT(a_, IsArray(xp::array({{-9.0, 0.0, 4.0}, {-1.0, 3.0, 5.0}})));
  a_[0].sort();
  EXPECT_EQ(a_.to_vector<double>(), (std::vector<double>{-9, 0, 4, -1, 3, 5}));
}
// So that a sorted copy, xp::sort(a), is not mistaken for a.sort().
static_assert(std::is_void_v<decltype(Array().sort())>);

TEST_P(ArrayMethodsTest, SelectAndRearrange) {
  const Array columns = xp::array({2, 0});
  EXPECT_THAT(a_.take(columns, 1), IsArray(xp::take(a_, columns, 1)));
  EXPECT_THAT(a_.take(columns), IsArray(xp::array({4.0, 3.0})));
  EXPECT_THAT(
      a_.take(xp::array({5}), {.axis = 1, .mode = xp::IndexMode::kClip}),
      IsArray(xp::array({{4.0}, {-9.0}})));
  const std::vector<Array> nonzero = a_.nonzero();
  ASSERT_EQ(nonzero.size(), 2);
  EXPECT_THAT(nonzero[0], IsArray(xp::array({0, 0, 0, 1, 1})));
  EXPECT_THAT(nonzero[1], IsArray(xp::array({0, 1, 2, 1, 2})));
  EXPECT_THAT(a_.swapaxes(0, 1), IsArray(a_.T()));
  EXPECT_THAT(a_.diagonal(1), IsArray(xp::array({-1.0, -9.0})));
  EXPECT_EQ(a_.trace().item<double>(), 8);
  EXPECT_EQ(a_.trace({.offset = 1}).item<double>(), -10);
  EXPECT_THAT(a_.repeat(2, 0), IsArray(xp::repeat(a_, 2, 0)));
  EXPECT_EQ(a_.repeat(2).shape(), Shape({12}));
}

TEST_P(ArrayMethodsTest, ShapesAndAxesNeedNoBraces) {
  EXPECT_EQ(a_.reshape(3, -1).shape(), Shape({3, 2}));
  EXPECT_EQ(a_.reshape(-1).shape(), Shape({6}));
  EXPECT_EQ(a_.reshape(size_t{6}, 1).shape(), Shape({6, 1}));
  EXPECT_THAT(a_.transpose(1, 0), IsArray(a_.T()));
  EXPECT_THAT(a_.transpose(-1, 0), IsArray(a_.T()));
}

TEST_P(ArrayMethodsTest, RejectWhatTheFunctionsReject) {
  EXPECT_THAT(error_of<IndexError>([&] { a_.argmax(2); }), HasSubstr("argmax"));
  EXPECT_THAT(error_of<ValueError>([&] {
                a_.sum({.axis = {0, 0}});
              }),
              HasSubstr("sum"));
  EXPECT_THAT(error_of<ShapeError>([&] { a_.dot(a_); }), HasSubstr("dot"));
  EXPECT_THROW(xp::zeros({1}).broadcast_to({3}).sort(), ValueError);
  EXPECT_THROW(Array().mean(), ValueError);
}

}  // namespace
}  // namespace catena
