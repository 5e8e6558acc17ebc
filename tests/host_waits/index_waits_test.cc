// Index arrays on a GPU are checked there: the host does not wait, and throws
// what the GPU has found when it next does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/along_axis.h"
#include "catena/array/indexing/getitem.h"
#include "catena/array/indexing/ravel_index.h"
#include "catena/array/indexing/select.h"
#include "catena/array/take.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;

constexpr Device kGpu = cuda_device(0);

Array on_gpu(const Array& x) { return x.to_device(kGpu); }
Array on_host(const Array& x) { return x.to_device(native_device()); }
Array indices(std::vector<int64_t> values) {
  const Shape shape{static_cast<int64_t>(values.size())};
  return on_gpu(array::array(values, shape));
}

// 0, 1, ... of shape (4, 3).
Array table() {
  return on_gpu(
      array::arange(12, Dtype::kFloat32, native_device()).reshape({4, 3}));
}

// What `work` returns, which did not wait for the GPU.
template <class Work>
auto without_waiting(const Work& work) {
  const int64_t before = cuda::emulation::host_waits();
  auto result = work();
  EXPECT_EQ(cuda::emulation::host_waits(), before);
  return result;
}

void expect_error(const std::string& message) {
  EXPECT_THAT(error_of<IndexError>([] { synchronize(kGpu); }),
              HasSubstr(message));
  synchronize(kGpu);  // it was thrown once
}

TEST(IndexWaitsTest, OneIndexArray) {
  const Array a = table();
  const Array rows = indices({1, -1, 4, 0});
  const Array taken =
      without_waiting([&] { return array::getitem(a, {rows}); });
  expect_error("getitem: index 4 is out of range for axis 0 with extent 4");
  EXPECT_THAT(on_host(taken), IsArray(array::array({{3.F, 4.F, 5.F},
                                                    {9.F, 10.F, 11.F},
                                                    {0.F, 0.F, 0.F},
                                                    {0.F, 1.F, 2.F}})));
  without_waiting([&] {
    array::setitem(a, {rows}, -1);
    return 0;
  });
  expect_error("setitem: index 4 is out of range for axis 0 with extent 4");
  EXPECT_THAT(on_host(a), IsArray(array::array({{-1.F, -1.F, -1.F},
                                                {-1.F, -1.F, -1.F},
                                                {6.F, 7.F, 8.F},
                                                {-1.F, -1.F, -1.F}})));
}

TEST(IndexWaitsTest, TakeAndScatter) {
  const Array a = table();
  const Array rows = indices({1, 4});
  const Array taken = without_waiting([&] { return array::take(a, rows, 0); });
  expect_error("take: index 4 is out of range for an axis with extent 4");
  EXPECT_THAT(on_host(taken[0]), IsArray(array::array({3.F, 4.F, 5.F})));
  without_waiting([&] {
    array::scatter_add(a, rows, 0, 10);
    return 0;
  });
  expect_error(
      "scatter_add: index 4 is out of range for an axis with extent 4");
  EXPECT_THAT(on_host(a[1]), IsArray(array::array({13.F, 14.F, 15.F})));
}

TEST(IndexWaitsTest, SeveralIndexArrays) {
  const Array a = table();
  const Array rows = indices({1, 2, -5, 3});
  const Array columns = indices({-1, 3, 0, -3});
  const auto get = [&] { return array::getitem(a, {rows, columns}); };
  const Array taken = without_waiting(get);
  // The first error of an operation that the GPU finds is kept.
  EXPECT_THROW(synchronize(kGpu), IndexError);
  EXPECT_THAT(on_host(taken), IsArray(array::array({5.F, 0.F, 0.F, 9.F})));
  without_waiting([&] {
    array::add_at(a, {rows, columns}, 100);
    return 0;
  });
  EXPECT_THROW(synchronize(kGpu), IndexError);
  EXPECT_THAT(on_host(a), IsArray(array::array({{0.F, 1.F, 2.F},
                                                {3.F, 4.F, 105.F},
                                                {6.F, 7.F, 8.F},
                                                {109.F, 10.F, 11.F}})));
}

TEST(IndexWaitsTest, ViewsThatRunBackwards) {
  const Array view = table()[{Slice({}, {}, -1), Slice({}, {}, -1)}];
  const Array taken = without_waiting([&] {
    return array::getitem(view, {indices({0, 4, 3}), indices({0, 1, 2})});
  });
  expect_error("getitem: index 4 is out of range for axis 0 with extent 4");
  EXPECT_THAT(on_host(taken), IsArray(array::array({11.F, 0.F, 0.F})));
}

TEST(IndexWaitsTest, AlongAnAxis) {
  const Array a = table();
  const Array which =
      on_gpu(array::array(std::vector<int64_t>{0, 3, -3, -1}, Shape{4, 1}));
  const Array taken =
      without_waiting([&] { return array::take_along_axis(a, which, 1); });
  expect_error(
      "take_along_axis: index 3 is out of range for axis 1 with extent 3");
  EXPECT_THAT(on_host(taken),
              IsArray(array::array({{0.F}, {0.F}, {6.F}, {11.F}})));
  without_waiting([&] {
    array::put_along_axis(a, which, -1, 1);
    return 0;
  });
  expect_error(
      "put_along_axis: index 3 is out of range for axis 1 with extent 3");
  EXPECT_THAT(on_host(a), IsArray(array::array({{-1.F, 1.F, 2.F},
                                                {3.F, 4.F, 5.F},
                                                {-1.F, 7.F, 8.F},
                                                {9.F, 10.F, -1.F}})));
}

TEST(IndexWaitsTest, ChoicesAndPositions) {
  const Array first = on_gpu(array::zeros({3}, Dtype::kFloat32));
  const Array second = on_gpu(array::ones({3}, Dtype::kFloat32));
  const Array which = indices({0, 2, 1});
  without_waiting([&] { return array::choose(which, {first, second}); });
  expect_error("choose: index 2 is out of range for 2 choices");
  without_waiting([&] {
    return array::ravel_multi_index({which, indices({0, 0, -1})}, {3, 2});
  });
  expect_error(
      "ravel_multi_index: index -1 is out of range for axis 1 with extent 2");
}

// No index fits, which the host sees by itself.
TEST(IndexWaitsTest, AnEmptyAxisIsAnErrorAtOnce) {
  const Array a = on_gpu(array::zeros({0, 3}));
  EXPECT_THROW(array::getitem(a, {indices({0})}), IndexError);
}

TEST(IndexWaitsTest, RightIndicesAreNoError) {
  const Array a = table();
  const Array taken = without_waiting([&] {
    return array::getitem(a, {indices({-4, 3}), indices({-3, 2})});
  });
  synchronize(kGpu);
  EXPECT_THAT(on_host(taken), IsArray(array::array({0.F, 11.F})));
}

}  // namespace
}  // namespace catena
