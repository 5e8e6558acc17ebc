// Tests the loops over layouts through the routines that use them.

#include "catena/array/cpu/elementwise_rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

// The elements in C order, each computed from the strides.
std::vector<double> elements(const Array& a) {
  std::vector<double> values;
  std::vector<int64_t> position(a.ndim(), 0);
  for (int64_t i = 0; i < a.size(); ++i) {
    int64_t rest = i;
    int64_t offset = 0;
    for (int axis = a.ndim() - 1; axis >= 0; --axis) {
      offset += rest % a.shape()[axis] * a.strides()[axis];
      rest /= a.shape()[axis];
    }
    visit_dtype(a.dtype(), [&](auto tag) {
      std::memcpy(&tag, a.raw_data() + offset, sizeof(tag));
      values.push_back(static_cast<double>(tag));
    });
  }
  return values;
}

// Distinct neighbours in every dtype.
Array numbered(const Shape& shape, Dtype dtype) {
  const int64_t size = size_of(shape);
  return remainder(arange(size).reshape(shape), 101).astype(dtype);
}

const Dtype kDtypes[] = {Dtype::kInt8,  Dtype::kUInt16,  Dtype::kFloat16,
                         Dtype::kInt32, Dtype::kFloat32, Dtype::kFloat64};

class Layouts : public ::testing::TestWithParam<Dtype> {
 protected:
  // Everything that walks the view in a way of its own.
  void check(const Array& view) {
    SCOPED_TRACE(to_string(view.shape()) + " with strides " +
                 to_string(view.strides()));
    const std::vector<double> expected = elements(view);
    // From the view to rows, and back.
    EXPECT_EQ(elements(view.copy()), expected);
    const Array target = zeros_like(view);
    const Array transposed = target.T();
    transposed.assign(view.T());
    EXPECT_EQ(elements(target), expected);
    // With a partner in rows, and with one laid out like the view.
    const Array rows = view.copy();
    std::vector<double> doubled = expected;
    for (double& value : doubled) value *= 2;
    if (GetParam() != Dtype::kInt8) {
      EXPECT_EQ(elements(add(view, rows)), doubled);
      EXPECT_EQ(elements(add(rows, view)), doubled);
      EXPECT_EQ(elements(add(view, view)), doubled);
    }
    EXPECT_EQ(elements(view.astype(Dtype::kFloat64)), expected);
    const std::vector<double> same(expected.size(), 1.0);
    EXPECT_EQ(elements(equal(view, rows)), same);
  }
};

TEST_P(Layouts, TransposedMatricesOfAllExtents) {
  for (const Shape& shape :
       {Shape{1, 1}, Shape{7, 9}, Shape{8, 8}, Shape{16, 40}, Shape{3, 200},
        Shape{200, 3}, Shape{65, 130}, Shape{300, 129}, Shape{1000, 17}}) {
    check(numbered(shape, GetParam()).T());
  }
}

TEST_P(Layouts, PermutedAxes) {
  const Array a = numbered({5, 18, 33}, GetParam());
  for (const Axes& axes : {Axes{0, 1, 2}, Axes{0, 2, 1}, Axes{1, 0, 2},
                           Axes{1, 2, 0}, Axes{2, 0, 1}, Axes{2, 1, 0}}) {
    check(a.transpose(axes));
  }
  check(numbered({2, 3, 4, 5, 6}, GetParam()).transpose({3, 0, 4, 2, 1}));
}

TEST_P(Layouts, SlicesAndBroadcasts) {
  const Array a = numbered({40, 50}, GetParam());
  check(a[{Slice({}, {}, 2), Slice(1, 49)}]);
  check(a[{Slice({}, {}, -1), Slice({}, {}, -3)}]);
  check((a[{Slice(3, 31), Slice({}, {}, 2)}]).T());
  check(a[{Slice(0, 1), ellipsis}].broadcast_to({40, 50}));
  check((a[{ellipsis, Slice(0, 1)}]).broadcast_to({40, 50}));
  check(a[{Slice(0, 1), Slice(2, 3)}].broadcast_to({30, 20}));
}

INSTANTIATE_TEST_SUITE_P(All, Layouts, ::testing::ValuesIn(kDtypes),
                         [](const auto& info) {
                           return to_string(info.param);
                         });

// Results so large that they are written non-temporally.
TEST(LargeLayouts, AreWhatSmallOnesAre) {
  for (const Shape& shape : {Shape{2048, 1100}, Shape{1001, 2500}}) {
    const Array a = numbered(shape, Dtype::kFloat64);
    EXPECT_EQ(elements(a.T().copy()), elements(a.T()));
    const Array narrow = a.astype(Dtype::kFloat32);
    EXPECT_EQ(elements(narrow.T().copy()), elements(a.T()));
    EXPECT_EQ(elements(a.copy()), elements(a));
    std::vector<double> doubled = elements(a);
    for (double& value : doubled) value *= 2;
    EXPECT_EQ(elements(add(a, a)), doubled);
    EXPECT_EQ(elements(add(a, a.T().copy().T())), doubled);
    EXPECT_EQ(elements(multiply(a, 2)), doubled);
    const Array integers = a.astype(Dtype::kInt64);
    EXPECT_EQ(elements(integers), elements(a));
    EXPECT_EQ(elements(add(integers, integers)), doubled);
  }
}

TEST(LargeLayouts, BroadcastRowsAndColumns) {
  const Array a = numbered({1500, 1600}, Dtype::kFloat32);
  const Array row = numbered({1600}, Dtype::kFloat32);
  const Array column = numbered({1500, 1}, Dtype::kFloat32);
  const Array by_row = add(a, row);
  const Array by_column = add(a, column);
  for (int64_t i = 0; i < 1500; i += 7) {
    for (int64_t j = 0; j < 1600; ++j) {
      const float x = a.data<float>()[i * 1600 + j];
      ASSERT_EQ(by_row.data<float>()[i * 1600 + j], x + row.data<float>()[j]);
      ASSERT_EQ(by_column.data<float>()[i * 1600 + j],
                x + column.data<float>()[i]);
    }
  }
}

TEST(LargeLayouts, ComparisonsFillTheirBytes) {
  const Array a = numbered({3000, 3000}, Dtype::kInt32);
  const Array y = less(a, 50);
  for (int64_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(y.data<bool>()[i], a.data<int32_t>()[i] < 50);
  }
}

}  // namespace
}  // namespace catena::array
