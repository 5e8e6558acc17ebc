#include "catena/array/sorting/sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/along_axis.h"
#include "catena/array/indexing/testing/index_reference.h"
#include "catena/array/random/random.h"
#include "catena/array/take.h"
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
using ::testing::ElementsAreArray;

class SortDtypeTest : public catena::testing::DeviceDtypeTest {
 protected:
  // Numbers of the dtype with many that are equal, and NaN among floats.
  Array numbers(const Shape& shape, uint64_t seed) const {
    xp::random::Generator generator(seed, device());
    const int64_t min = kind_of(dtype()) == DtypeKind::kUInt ? 0 : -100;
    const Array values =
        xp::multiply(generator.randint(min, min + 200, shape), 1.5);
    const Array a = values.astype(dtype());
    if (is_floating(dtype()) && a.size() > 0) {
      const Array flat = a.ravel();
      xp::put(flat, generator.randint(0, a.size(), {1 + a.size() / 50}),
              std::numeric_limits<double>::quiet_NaN());
      return flat.reshape(shape);
    }
    return a;
  }
};

std::vector<double> doubles_of(const Array& a) {
  const Array plain =
      a.astype(Dtype::kFloat64).contiguous().to_device(native_device());
  return {plain.data<double>(), plain.data<double>() + plain.size()};
}

// NumPy's order, in which NaN is last.
bool comes_before(double a, double b) {
  return a < b || (std::isnan(b) && !std::isnan(a));
}

TEST_P(SortDtypeTest, AgreesWithAStableSortByComparisons) {
  for (const int64_t length :
       {0, 1, 2, 3, 17, 63, 64, 65, 200, 511, 513, 3000, 70001}) {
    const Array a = numbers({length}, length);
    const std::vector<double> values = doubles_of(a);
    std::vector<int64_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int64_t i, int64_t k) {
      return comes_before(values[i], values[k]);
    });
    const Array positions = xp::argsort(a);
    ASSERT_THAT(integers_of(positions), ElementsAreArray(order)) << length;
    ASSERT_THAT(xp::sort(a), IsArray(xp::take(a, positions, 0))) << length;
  }
}

TEST_P(SortDtypeTest, EveryAxisOfEveryLayoutIsSorted) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 150; ++i) {
    const Shape shape = catena::testing::random_shape(random);
    const Array a = catena::testing::random_layout(shape, random, dtype());
    a.assign(numbers(shape, i));
    for (int axis = -a.ndim(); axis < a.ndim(); ++axis) {
      const Array order = xp::argsort(a, axis);
      const Array sorted = xp::sort(a, axis);
      ASSERT_EQ(order.shape(), shape);
      ASSERT_TRUE(sorted.is_contiguous());
      ASSERT_THAT(sorted, IsArray(xp::take_along_axis(a, order, axis)));
      // Along the axis each element and the next are in order.
      const int last = a.ndim() - 1;
      Axes axes;
      for (int k = 0; k <= last; ++k) axes.push_back(k);
      std::swap(axes[axis < 0 ? axis + a.ndim() : axis], axes[last]);
      const Array rows = sorted.transpose(axes);
      const std::vector<double> values = doubles_of(rows);
      for (size_t k = 1; k < values.size(); ++k) {
        if (k % rows.shape().back() == 0) continue;
        ASSERT_FALSE(comes_before(values[k], values[k - 1])) << shape;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SortDtypeTest,
                         catena::testing::every_device_and_dtype(),
                         catena::testing::device_dtype_name);

class SortTest : public catena::testing::DeviceTest {};

TEST_P(SortTest, ExtremesAreInOrder) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const Dtype dtype : catena::testing::float_dtypes()) {
    const Array a = xp::array({kInf, kNaN, 1., -kInf, -kNaN, -1., 0.}, dtype);
    EXPECT_THAT(
        xp::sort(a),
        IsArray(xp::array({-kInf, -1., 0., 1., kInf, kNaN, kNaN}, dtype)));
    EXPECT_THAT(xp::argsort(a), IsArray(xp::array({3, 5, 6, 2, 0, 1, 4})));
  }
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(xp::sort(xp::array({kMax, int64_t{0}, kMin, int64_t{-1}})),
              IsArray(xp::array({kMin, int64_t{-1}, int64_t{0}, kMax})));
  EXPECT_THAT(xp::sort(xp::array({~uint64_t{0}, uint64_t{1}})),
              IsArray(xp::array({uint64_t{1}, ~uint64_t{0}})));
}

TEST_P(SortTest, ZerosOfEitherSignAreEqual) {
  EXPECT_THAT(xp::argsort(xp::array({0., -0., 0., -1.})),
              IsArray(xp::array({3, 0, 1, 2})));
  const Array sorted = xp::sort(xp::array({0., -0.}));
  EXPECT_TRUE(std::signbit(sorted[0].item<double>()));
  EXPECT_FALSE(std::signbit(sorted[1].item<double>()));
}

TEST_P(SortTest, TheArgumentIsLeftAlone) {
  const Array a = xp::array({{3, 1, 2}, {1, 0, 5}});
  const Array before = a.copy();
  xp::sort(a);
  xp::sort(a, std::nullopt);
  xp::argsort(a);
  xp::sort(a.T(), 0);
  EXPECT_THAT(a, IsArray(before));
}

TEST_P(SortTest, ThreadsDoNotChangeTheOrder) {
  xp::random::Generator generator(3, device());
  const Array a = generator.randint(-1000, 1000, {300001});
  const Array few = generator.randint(0, 99, {3, 70000});
  const int threads = get_num_threads();
  set_num_threads(1);
  const Array order = xp::argsort(a);
  const Array order_few = xp::argsort(few);
  for (const int count : {2, 3, 5}) {
    set_num_threads(count);
    EXPECT_THAT(xp::argsort(a), IsArray(order));
    EXPECT_THAT(xp::argsort(few), IsArray(order_few));
    EXPECT_THAT(xp::sort(a), IsArray(xp::take(a, order, 0)));
  }
  set_num_threads(threads);
}

TEST_P(SortTest, PartitionPutsTheKthInItsPlace) {
  const Array a = xp::array({{5, 1, 4}, {2, 9, 0}});
  EXPECT_THAT((xp::partition(a, 1)[{Slice(), 1}]), IsArray(xp::array({4, 2})));
  EXPECT_THAT(xp::partition(a, -1, std::nullopt)[-1], IsArray(xp::array(9)));
  EXPECT_THAT(xp::argpartition(a, 0, 0)[0], IsArray(xp::array({1, 0, 1})));
  EXPECT_THAT(error_of<IndexError>([&] { xp::partition(a, 3); }),
              "partition: kth 3 is out of range for an axis with extent "
              "3");
  EXPECT_THROW(xp::argpartition(a, -7, std::nullopt), IndexError);
}

TEST_P(SortTest, LexsortSortsByTheLastKeyFirst) {
  const Array first = xp::array({1, 0, 1, 0, 1});
  const Array second = xp::array({2., 1., 1., 1., 2.});
  EXPECT_THAT(xp::lexsort({first, second}),
              IsArray(xp::array({1, 3, 2, 0, 4})));
  EXPECT_THAT(xp::lexsort({first}), IsArray(xp::array({1, 3, 0, 2, 4})));
  EXPECT_THAT(
      error_of<ValueError>([] { xp::lexsort(std::initializer_list<Array>{}); }),
      "lexsort: expected at least one key, got none");
  EXPECT_THAT(error_of<ShapeError>([&] {
                xp::lexsort({first, xp::zeros({2})});
              }),
              "lexsort: expected keys of one shape, got (5,) and (2,)");
}

TEST_P(SortTest, AnAxisOutOfRangeIsRefused) {
  EXPECT_THROW(xp::sort(xp::zeros({2}), 1), IndexError);
  EXPECT_THROW(xp::argsort(xp::zeros({2}), -2), IndexError);
  EXPECT_THROW(xp::sort(xp::array(1)), IndexError);
  EXPECT_THAT(xp::sort(xp::array(1), std::nullopt), IsArray(xp::array({1})));
}

INSTANTIATE_TEST_SUITE_P(All, SortTest, catena::testing::every_device(),
                         catena::testing::device_name);

class SortGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(SortGoldenTest, SortsAsNumpyDoes) {
  const std::string op = golden().attr<std::string>("op");
  const Array a = array("in0");
  const Array expected = golden().array("out0");
  if (op == "lexsort") {
    EXPECT_THAT(xp::lexsort(a), IsArray(expected));
    return;
  }
  // "sort_float32_None" has no axis; "sort_nan" has NumPy's default.
  const bool flat = golden().name().ends_with("None");
  const std::optional<Axis> axis =
      flat ? std::nullopt
           : std::optional<Axis>(golden().attr_or<int64_t>("axis", -1));
  ASSERT_TRUE(op == "sort" || op == "argsort") << op;
  EXPECT_THAT(op == "sort" ? xp::sort(a, axis) : xp::argsort(a, axis),
              IsArray(expected));
}

INSTANTIATE_TEST_SUITE_P(
    Numpy, SortGoldenTest,
    catena::testing::every_device_and_case("array/sorting"),
    catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
