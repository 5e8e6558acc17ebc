#include "catena/array/take.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::GoldenCase;
using catena::testing::IsArray;
using ::testing::HasSubstr;
using xp::IndexMode;

class TakeTest : public catena::testing::DeviceTest {};

TEST_P(TakeTest, IndicesReplaceTheAxis) {
  const Array a = xp::arange(24).reshape({2, 3, 4});
  const Array indices = xp::array({{0, 2}, {1, 1}, {-1, 0}});
  EXPECT_EQ(xp::take(a, indices, 1).shape(), Shape({2, 3, 2, 4}));
  EXPECT_THAT((xp::take(a, indices, 1)[{1, 2, 0}]),
              IsArray(xp::array({20, 21, 22, 23})));
  EXPECT_THAT(xp::take(a, xp::array(2), -1)[0], IsArray(xp::array({2, 6, 10})));
  EXPECT_THAT(xp::take(a, xp::array({23, 0})), IsArray(xp::array({23, 0})));
}

TEST_P(TakeTest, EveryIntegerDtypeIndexes) {
  const Array a = xp::array({10, 11, 12});
  for (const Dtype dtype :
       {Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64,
        Dtype::kUInt8, Dtype::kUInt16, Dtype::kUInt32, Dtype::kUInt64}) {
    EXPECT_THAT(xp::take(a, xp::array({2, 0}, dtype), 0),
                IsArray(xp::array({12, 10})));
  }
}

TEST_P(TakeTest, AnyLayoutOfTheSourceWorks) {
  const Array a = xp::arange(60).reshape({3, 4, 5});
  const Array indices = xp::array({2, 0, -1});
  const Array layouts[] = {
      a.T(),
      a.transpose({1, 0, 2}),
      a[{Slice({}, {}, -1)}],
      a[{Slice(), Slice(0, 4, 2)}].transpose({2, 1, 0}),
      a[{ellipsis, Slice(1, 4)}],
      a[{Slice(), Slice(0, 1)}].broadcast_to({3, 4, 5}),
  };
  for (const Array& view : layouts) {
    for (int axis = 0; axis < 3; ++axis) {
      if (view.shape()[axis] < 3) continue;
      EXPECT_THAT(xp::take(view, indices, axis),
                  IsArray(xp::take(view.copy(), indices, axis)))
          << view.strides() << " axis " << axis;
    }
    EXPECT_THAT(xp::take(view, xp::array({5, 1})),
                IsArray(xp::take(view.ravel(), xp::array({5, 1}), 0)));
  }
}

TEST_P(TakeTest, StridedIndicesAreReadInOrder) {
  const Array indices = xp::array({{0, 1}, {2, 3}}).T();
  EXPECT_THAT(xp::take(xp::array({10, 11, 12, 13}), indices, 0),
              IsArray(xp::array({{10, 12}, {11, 13}})));
}

TEST_P(TakeTest, LargeTakesAgreeWithIndexing) {
  const Array a = xp::arange(200000).reshape({1000, 200});
  const Array order = xp::arange(999, -1, -1);
  EXPECT_THAT(xp::take(a, order, 0), IsArray(a[{Slice({}, {}, -1)}].copy()));
  EXPECT_THAT(xp::take(a, xp::arange(199, -1, -1), 1),
              IsArray(a[{Slice(), Slice({}, {}, -1)}].copy()));
}

// Large results are written non-temporally, whole lines at a time.
TEST_P(TakeTest, RowsOfWholeCacheLinesAgreeToo) {
  const Array table = xp::arange(300 * 96, Dtype::kFloat32).reshape({300, 96});
  const Array indices = xp::remainder(xp::arange(30000) * 7919, 300);
  const Array taken = xp::take(table, indices, 0);
  const Array first = (indices * 96).reshape({-1, 1});
  EXPECT_THAT(taken, IsArray((first + xp::arange(96)).astype(Dtype::kFloat32)));
}

TEST_P(TakeTest, NothingFromNothing) {
  const Array a = xp::zeros({3, 0});
  EXPECT_EQ(xp::take(a, xp::array({0, 2}), 0).shape(), Shape({2, 0}));
  EXPECT_EQ(xp::take(a, xp::zeros({0, 5}, Dtype::kInt64), 1).shape(),
            Shape({3, 0, 5}));
  EXPECT_THROW(xp::take(a, xp::array({3}), 0), IndexError);
}

// A GPU's error comes when the host waits.
TEST_P(TakeTest, AnIndexOutOfRangeIsNamed) {
  const Array a = xp::zeros({2, 3});
  const auto take = [&](const Array& indices, int axis) {
    Array taken = xp::take(a, indices, axis);
    synchronize(device());
    return taken;
  };
  EXPECT_THAT(error_of<IndexError>([&] {
                take(xp::array({0, 3, 0}), 1);
              }),
              HasSubstr("take: index 3 is out of range for an axis with "
                        "extent 3"));
  EXPECT_THROW(take(xp::array({-3}), 0), IndexError);
  EXPECT_THAT(take(xp::array({-2}), 0), IsArray(xp::zeros({1, 3})));
  EXPECT_THAT(error_of<IndexError>([&] {
                take(xp::array({std::numeric_limits<uint64_t>::max()}), 0);
              }),
              HasSubstr(device().is_native()
                            ? "index 18446744073709551615 is out of range"
                            : "index 9223372036854775807 is out of range"));
  EXPECT_THAT(
      error_of<IndexError>([] { xp::take(xp::zeros({0}), xp::array({0}), 0); }),
      "take: expected no indices into an "
      "axis with extent 0, got 1");
}

TEST_P(TakeTest, ModesReplaceTheError) {
  const Array a = xp::array({10, 11, 12});
  const Array indices = xp::array({-4, -1, 3, 7});
  EXPECT_THAT(xp::take(a, indices, {.axis = 0, .mode = IndexMode::kWrap}),
              IsArray(xp::array({12, 12, 10, 11})));
  EXPECT_THAT(xp::take(a, indices, {.axis = 0, .mode = IndexMode::kClip}),
              IsArray(xp::array({10, 10, 12, 12})));
  const Array large = xp::array({std::numeric_limits<uint64_t>::max()});
  EXPECT_THAT(xp::take(a, large, {.axis = 0, .mode = IndexMode::kWrap}),
              IsArray(xp::array({10})));
  EXPECT_THAT(xp::take(a, large, {.axis = 0, .mode = IndexMode::kClip}),
              IsArray(xp::array({12})));
  EXPECT_THROW(
      xp::take(xp::zeros({0}), indices, {.axis = 0, .mode = IndexMode::kWrap}),
      IndexError);
  EXPECT_EQ(xp::index_mode_name(IndexMode::kClip), "clip");
}

// Slices of a few bytes, and of whole cache lines with and without streaming.
TEST_P(TakeTest, SkippedIndicesTakeZeros) {
  const Array indices = xp::array({-1, 2, 3, 0});
  const auto skip = [&](const Array& a) {
    return xp::take(a, indices, {.axis = 0, .mode = IndexMode::kSkip});
  };
  EXPECT_THAT(skip(xp::array({10, 11, 12})),
              IsArray(xp::array({0, 12, 0, 10})));
  for (const int64_t width : {16, 40000}) {
    const Array a = xp::ones({3, width}, Dtype::kFloat32);
    const Array taken = skip(a);
    EXPECT_THAT(taken[0], IsArray(xp::zeros_like(a[0])));
    EXPECT_THAT(taken[1], IsArray(a[2]));
    EXPECT_THAT(taken[2], IsArray(xp::zeros_like(a[0])));
    EXPECT_THAT(taken[3], IsArray(a[0]));
  }
}

TEST_P(TakeTest, WritesToItsOutput) {
  const Array a = xp::arange(6).reshape({2, 3});
  const Array indices = xp::array({2, 0});
  const Array out = xp::zeros({2, 2}, Dtype::kInt64);
  const char* const memory = out.raw_data();
  EXPECT_TRUE(xp::take(a, indices, {.axis = 1, .out = out}).is_same(out));
  EXPECT_EQ(out.raw_data(), memory);
  const Array expected = xp::array({{2, 0}, {5, 3}});
  EXPECT_THAT(out, IsArray(expected));
  const Array transposed = xp::zeros({2, 2}, Dtype::kFloat32);
  xp::take(a, indices, {.axis = 1, .out = transposed.T()});
  EXPECT_THAT(transposed, IsArray(expected.T().astype(Dtype::kFloat32)));
  // Over its own source, and over the indices.
  const Array row = xp::array({1, 2, 0});
  xp::take(a, row, {.axis = 1, .out = a});
  EXPECT_THAT(a, IsArray(xp::array({{1, 2, 0}, {4, 5, 3}})));
  xp::take(row, row, {.out = row});
  EXPECT_THAT(row, IsArray(xp::array({2, 0, 1})));
  EXPECT_EQ(xp::take(a, xp::zeros({0}, Dtype::kInt64),
                     {.out = xp::zeros({0}, Dtype::kInt64)})
                .size(),
            0);
}

TEST_P(TakeTest, AnOutputThatDoesNotFitIsRefused) {
  const Array a = xp::arange(3);
  const Array indices = xp::array({0, 1});
  EXPECT_THAT(error_of<ShapeError>(
                  [&] { xp::take(a, indices, {.out = xp::zeros({3})}); }),
              "take: expected an output of shape (2,), got (3,)");
  EXPECT_THAT(error_of<DtypeError>([&] {
                xp::take(xp::zeros({3}), indices,
                         {.out = xp::zeros({2}, Dtype::kInt64)});
              }),
              "take: cannot store float64 results in an array of int64");
  EXPECT_THROW(
      xp::take(a, indices,
               {.out = xp::zeros({1}, Dtype::kInt64).broadcast_to({2})}),
      ValueError);
  EXPECT_THROW(
      xp::take(a, indices,
               {.out = xp::zeros({2}, Dtype::kInt64, native_device(1))}),
      DeviceError);
}

TEST_P(TakeTest, BadArgumentsAreRefused) {
  const Array a = xp::zeros({2, 3});
  EXPECT_THAT(error_of<DtypeError>([&] { xp::take(a, xp::array({1.0}), 0); }),
              "take: expected integer indices, got float64");
  EXPECT_THROW(xp::take(a, xp::array({true}), 0), DtypeError);
  EXPECT_THROW(xp::take(a, xp::array({1}), 2), IndexError);
  EXPECT_THROW(xp::take(xp::zeros({}), xp::array({0}), 0), IndexError);
  EXPECT_THROW(xp::take(a, Array(), 0), ValueError);
  EXPECT_THROW(xp::take(xp::zeros(Shape::filled(8, 1)),
                        xp::zeros({1, 1}, Dtype::kInt8), 0),
               ShapeError);
}

TEST(TakeDeviceTest, IndicesOnAnotherDeviceAreRefused) {
  const Array a = xp::zeros({2}, Dtype::kFloat64, native_device(0));
  const Array i = xp::zeros({2}, Dtype::kInt64, native_device(1));
  EXPECT_THROW(xp::take(a, i, 0), DeviceError);
  EXPECT_THROW(xp::scatter_add(a, i, 0, 1), DeviceError);
  EXPECT_THROW(xp::scatter_add(a, i.to_device(native_device(0)), 0, i),
               DeviceError);
}

class ScatterTest : public catena::testing::DeviceDtypeTest {};

TEST_P(ScatterTest, AddsEachValueToItsElement) {
  const Array a = xp::zeros({3, 2}, dtype());
  xp::scatter_add(a, xp::array({2, 0, -1}), 0,
                  xp::array({{1, 0}, {1, 1}, {0, 1}}).astype(dtype()));
  EXPECT_THAT(a, IsArray(xp::array({{1, 1}, {0, 0}, {1, 1}}).astype(dtype())));
}

TEST_P(ScatterTest, SkippedIndicesChangeNothing) {
  const Array a = xp::zeros({3, 2}, dtype());
  const Array indices = xp::array({3, 0, -1, 0});
  const xp::IndexModeOptions skip = {.mode = IndexMode::kSkip};
  xp::scatter_update(a, indices, 0, true, skip);
  const Array expected = xp::array({{1, 1}, {0, 0}, {0, 0}}).astype(dtype());
  EXPECT_THAT(a, IsArray(expected));
  a.fill(0);
  xp::scatter_add(a, xp::array({-1, 0, 5}), 0, 1, skip);
  EXPECT_THAT(a, IsArray(expected));
}

TEST_P(ScatterTest, AWrongIndexChangesNothing) {
  const Array a = xp::zeros({3}, dtype());
  const auto add_and_wait = [&](const Array& indices) {
    xp::scatter_add(a, indices, 0, 1);
    synchronize(device());
  };
  EXPECT_THAT(error_of<IndexError>([&] { add_and_wait(xp::array({3})); }),
              HasSubstr("scatter_add: index 3 is out of range for an axis "
                        "with extent 3"));
  EXPECT_THROW(add_and_wait(xp::array({-4})), IndexError);
  EXPECT_THAT(a, IsArray(xp::zeros({3}, dtype())));
  add_and_wait(xp::array({-3}));
  EXPECT_THAT(a, IsArray(xp::array({1, 0, 0}).astype(dtype())));
}

TEST_P(ScatterTest, UpdatesWithTheLastValue) {
  const Array a = xp::zeros({4}, dtype());
  xp::scatter_update(a, xp::array({1, 3, 1}), 0,
                     xp::array({0, 1, 1}).astype(dtype()));
  EXPECT_THAT(a, IsArray(xp::array({0, 1, 0, 1}).astype(dtype())));
}

INSTANTIATE_TEST_SUITE_P(All, ScatterTest,
                         catena::testing::every_device_and_dtype(),
                         catena::testing::device_dtype_name);

TEST_P(TakeTest, AnIndexThatOccursTwiceAddsTwice) {
  const Array a = xp::full({3}, 10);
  xp::scatter_add(a, xp::array({{1, 1}, {1, 0}}), 0,
                  xp::array({{1, 2}, {3, 4}}));
  EXPECT_THAT(a, IsArray(xp::array({14, 16, 10})));
}

TEST_P(TakeTest, ScatterBroadcastsAndCastsItsValues) {
  const Array a = xp::zeros({2, 3}, Dtype::kFloat32);
  xp::scatter_add(a, xp::array({0, 2, 0}), 1, 1.5);
  EXPECT_THAT(a,
              IsArray(xp::array({{3, 0, 1.5}, {3, 0, 1.5}}, Dtype::kFloat32)));
  xp::scatter_add(a, xp::array({1}), 0, xp::array({1, 2, 3}));
  EXPECT_THAT(a, IsArray(xp::array({{3.0, 0.0, 1.5}, {4.0, 2.0, 4.5}},
                                   Dtype::kFloat32)));
}

TEST_P(TakeTest, ScatterWritesThroughAnyLayout) {
  for (int axis = 0; axis < 3; ++axis) {
    const Array whole = xp::zeros({4, 5, 6}, Dtype::kInt64);
    const Array views[] = {whole.transpose({1, 0, 2}),
                           whole[{Slice({}, {}, -1), Slice(0, 5, 2)}],
                           whole[{ellipsis, Slice(1, 5)}].T()};
    for (const Array& view : views) {
      whole.fill(0);
      const Array expected = view.copy();
      const Array indices = xp::array({2, 0, 2});
      const Array values = xp::arange(xp::take(view, indices, axis).size())
                               .reshape(xp::take(view, indices, axis).shape());
      xp::scatter_add(view, indices, axis, values);
      xp::scatter_add(expected, indices, axis, values);
      EXPECT_THAT(view, IsArray(expected)) << axis << view.strides();
    }
  }
}

TEST_P(TakeTest, ScatterIsTheTransposeOfTake) {
  const Array a = xp::zeros({50, 7}, Dtype::kInt64);
  const Array indices = xp::remainder(xp::arange(1000) * 37, 50);
  xp::scatter_add(a, indices, 0,
                  xp::take(xp::arange(350).reshape({50, 7}), indices, 0));
  EXPECT_THAT(a, IsArray(xp::arange(350).reshape({50, 7}) * 20));
}

// Sums of floats depend on their order.
TEST_P(TakeTest, ScatterAddGivesTheSameBitsForAnyNumberOfThreads) {
  const int before = get_num_threads();
  for (const Shape& shape : {Shape{2000, 20}, Shape{3, 1500}, Shape{40, 200}}) {
    const Array indices = xp::remainder(xp::arange(3000) * 7919, shape[0]);
    const Array values =
        xp::sqrt(xp::arange(3000.0, Dtype::kFloat32)).reshape({3000, 1});
    const Array one = xp::zeros(shape, Dtype::kFloat32);
    const Array many = xp::zeros(shape, Dtype::kFloat32);
    set_num_threads(1);
    xp::scatter_add(one, indices, 0, values);
    set_num_threads(5);
    xp::scatter_add(many, indices, 0, values);
    EXPECT_THAT(many, IsArray(one)) << shape;
  }
  set_num_threads(before);
}

// What scatter_add makes of 0, where one element receives these values.
float sum_in_order(const std::vector<float>& values, Device device) {
  const auto add = [](float sum, float value) { return sum + value; };
  const auto all = [&](auto begin, auto end, float sum) {
    return std::accumulate(begin, end, sum, add);
  };
  if (device.is_native()) return all(values.begin(), values.end(), 0.f);
  constexpr ptrdiff_t kPart = 256;
  auto next = values.begin() + std::min(kPart, std::ssize(values));
  float sum = all(values.begin(), next, 0.f);
  for (; values.end() - next >= kPart; next += kPart) {
    sum += all(next + 1, next + kPart, *next);
  }
  return all(next, values.end(), sum);
}

// Most indices of a padded batch are the same.
TEST_P(TakeTest, AnIndexMayOccurManyTimes) {
  for (const int64_t repeats : {255, 256, 257, 511, 512, 513, 1030, 5000}) {
    constexpr int64_t kSlices = 5;
    constexpr int64_t kWidth = 3;
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < repeats; ++i) {
      indices.push_back(2);
      if (i % 3 == 0) indices.push_back(i % 6 == 0 ? 4 : 0);
      if (i % 100 == 0) indices.push_back(1);
    }
    const auto count = static_cast<int64_t>(indices.size());
    const Array values = xp::sqrt(xp::arange(0, 2 * count * kWidth, 1,
                                             Dtype::kFloat32, native_device()))
                             .reshape({2, count, kWidth});
    const Array expected =
        xp::zeros({2, kSlices, kWidth}, Dtype::kFloat32, native_device());
    std::vector<float> own;
    for (int64_t o = 0; o < 2; ++o) {
      for (int64_t slice = 0; slice < kSlices; ++slice) {
        for (int64_t j = 0; j < kWidth; ++j) {
          own.clear();
          for (int64_t i = 0; i < count; ++i) {
            if (indices[static_cast<size_t>(i)] != slice) continue;
            own.push_back(values.data<float>()[(o * count + i) * kWidth + j]);
          }
          expected.data<float>()[(o * kSlices + slice) * kWidth + j] =
              sum_in_order(own, device());
        }
      }
    }
    const Array a = xp::zeros({2, kSlices, kWidth}, Dtype::kFloat32);
    const Array where = xp::array(indices);
    for (int time = 0; time < 2; ++time) {
      a.fill(0);
      xp::scatter_add(a, where, 1, values.to_device(device()));
      EXPECT_THAT(a.to_device(native_device()), IsArray(expected)) << repeats;
    }
    // Along the last axis, so that slices have one element.
    const Array whole = xp::zeros({kSlices}, Dtype::kInt64);
    xp::scatter_add(whole, where, 0, 1);
    EXPECT_EQ(whole[2].item<int64_t>(), repeats);
    EXPECT_EQ(xp::sum(whole).item<int64_t>(), count);
    xp::scatter_update(whole, where, 0, xp::arange(count));
    EXPECT_EQ(whole[2].item<int64_t>(),
              std::ranges::find(indices.rbegin(), indices.rend(), 2).base() -
                  indices.begin() - 1);
    EXPECT_EQ(whole[3].item<int64_t>(), 0);
  }
}

TEST_P(TakeTest, HalvesAreSummedInFloat) {
  const Array a = xp::full({1}, 1, Dtype::kFloat16);
  xp::scatter_add(a, xp::zeros({4096}, Dtype::kInt64), 0, 0x1p-11);
  EXPECT_THAT(a, IsArray(xp::full({1}, 3, Dtype::kFloat16)));
}

TEST_P(TakeTest, ValuesMayBeTheArrayItself) {
  const Array a = xp::arange(4);
  xp::scatter_add(a, xp::array({1, 2, 3, 0}), 0, a);
  EXPECT_THAT(a, IsArray(xp::array({3, 1, 3, 5})));
  const Array b = xp::array({1, 2, 0});
  xp::scatter_update(b, b, 0, b[{Slice({}, {}, -1)}]);
  EXPECT_THAT(b, IsArray(xp::array({1, 0, 2})));
}

TEST_P(TakeTest, PutWritesToTheFlattenedArray) {
  const Array a = xp::zeros({2, 3}, Dtype::kInt64);
  xp::put(a, xp::array({0, -1, 4}), xp::array({1, 2, 3}));
  EXPECT_THAT(a, IsArray(xp::array({{1, 0, 0}, {0, 3, 2}})));
  xp::put(a.T(), xp::array({1}), 9);
  EXPECT_THAT(a, IsArray(xp::array({{1, 0, 0}, {9, 3, 2}})));
}

TEST_P(TakeTest, ARefusedScatterChangesNothing) {
  const Array a = xp::zeros({3});
  if (device().is_native()) {
    EXPECT_THROW(xp::scatter_add(a, xp::array({0, 3}), 0, 1), IndexError);
  }
  EXPECT_THROW(xp::scatter_add(a, xp::array({0}), 1, 1), IndexError);
  EXPECT_THROW(xp::scatter_add(a, xp::array({0.5}), 0, 1), DtypeError);
  EXPECT_THAT(error_of<ShapeError>([&] {
                xp::scatter_add(a, xp::array({0, 1}), 0, xp::ones({3}));
              }),
              HasSubstr("scatter_add: shapes (3,) and (2,)"));
  EXPECT_THROW(xp::scatter_update(a, xp::array({0}), 0, xp::ones({2})),
               ShapeError);
  const auto put_and_wait = [&] {
    xp::put(a, xp::array({5}), 1);
    synchronize(device());
  };
  EXPECT_THROW(put_and_wait(), IndexError);
  EXPECT_THAT(a, IsArray(xp::zeros({3})));
  EXPECT_THROW(
      xp::scatter_add(xp::zeros({1}).broadcast_to({3}), xp::array({0}), 0, 1),
      ValueError);
}

INSTANTIATE_TEST_SUITE_P(All, TakeTest, catena::testing::every_device(),
                         catena::testing::device_name);

class TakeGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(TakeGoldenTest, TakesAsNumpyDoes) {
  std::optional<int64_t> axis;
  if (golden().has_attr("axis")) axis = golden().attr<int64_t>("axis");
  const auto mode = golden().attr_or<std::string>("mode", "raise");
  EXPECT_THAT(xp::take(array("in0"), array("in1"),
                       {.axis = axis,
                        .mode = mode == "wrap"   ? IndexMode::kWrap
                                : mode == "clip" ? IndexMode::kClip
                                                 : IndexMode::kRaise}),
              IsArray(golden().array("out0")));
}

bool takes(const GoldenCase& golden) {
  return golden.attr<std::string>("op") == "take";
}

INSTANTIATE_TEST_SUITE_P(
    Numpy, TakeGoldenTest,
    catena::testing::every_device_and_case("array/selection", takes),
    catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
