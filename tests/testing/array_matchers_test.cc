#include "catena/tests/testing/array_matchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "catena/array/array.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

template <class T>
Array make(const Shape& shape, const std::vector<T>& values) {
  const Array a = array::empty(shape, dtype_of<T>);
  std::copy(values.begin(), values.end(), a.data<T>());
  return a;
}

std::string explanation(const ArrayMatcher& matcher, const Array& actual) {
  ::testing::StringMatchResultListener listener;
  EXPECT_FALSE(matcher.MatchAndExplain(actual, listener.stream()));
  return listener.str();
}

TEST(IsArrayTest, TakesEqualValues) {
  const Array a = make<float>({2, 2}, {1, -2, NAN, INFINITY});
  EXPECT_THAT(a, IsArray(a.copy()));
  EXPECT_THAT(a.transpose(),
              IsArray(make<float>({2, 2}, {1, NAN, -2, INFINITY})));
  EXPECT_THAT(make<double>({1}, {0.0}), IsArray(make<double>({1}, {-0.0})));
}

TEST(IsArrayTest, RejectsTheSmallestDifference) {
  const float next = std::nextafter(1.0f, 2.0f);
  EXPECT_THAT(make<float>({1}, {next}), Not(IsArray(make<float>({1}, {1}))));
  EXPECT_THAT(make<int64_t>({1}, {INT64_MAX}),
              Not(IsArray(make<int64_t>({1}, {INT64_MAX - 1}))));
}

TEST(IsArrayTest, RejectsSpecialValuesInPlaceOfOthers) {
  const Array one = make<float>({1}, {1});
  const Array nan = make<float>({1}, {NAN});
  const Array inf = make<float>({1}, {INFINITY});
  EXPECT_THAT(nan, Not(IsClose(one)));
  EXPECT_THAT(one, Not(IsClose(nan)));
  EXPECT_THAT(one, Not(IsClose(inf)));
  EXPECT_THAT(inf, Not(IsClose(one)));
  EXPECT_THAT(inf, Not(IsClose(make<float>({1}, {-INFINITY}))));
}

TEST(IsArrayTest, RejectsOtherDtypesAndShapes) {
  const Array a = make<float>({2}, {1, 2});
  EXPECT_EQ(explanation(IsArray(make<double>({2}, {1, 2})), a),
            "whose dtype is float32, expected float64");
  EXPECT_EQ(explanation(IsArray(make<float>({2, 1}, {1, 2})), a),
            "whose shape is (2,), expected (2, 1)");
  EXPECT_EQ(explanation(IsArray(a), Array()), "which is undefined");
}

TEST(IsArrayTest, ComparesAcrossDevices) {
  const Array a = make<float>({2}, {1, 2});
  EXPECT_THAT(a.to_device(native_device(1)), IsArray(a));
}

TEST(IsArrayTest, ListsTheFirstDifferences) {
  const Array a = make<int8_t>({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Array b = make<int8_t>({2, 4}, {9, 1, 9, 9, 9, 9, 9, 7});
  EXPECT_EQ(explanation(IsArray(b), a),
            "6 of 8 elements differ\n"
            "  at (0, 0): 0, expected 9\n"
            "  at (0, 2): 2, expected 9\n"
            "  at (0, 3): 3, expected 9\n"
            "  at (1, 0): 4, expected 9\n"
            "  at (1, 1): 5, expected 9\n"
            "  ...");
}

TEST(IsCloseTest, HasATolerancePerDtype) {
  const Array one = make<float>({1}, {1});
  EXPECT_THAT(make<float>({1}, {1.0001f}), IsClose(one));
  EXPECT_THAT(make<float>({1}, {1.0002f}), Not(IsClose(one)));
  EXPECT_THAT(make<double>({1}, {1.0001}),
              Not(IsClose(make<double>({1}, {1}))));
  EXPECT_THAT(make<float16>({1}, {float16(1.005f)}),
              IsClose(make<float16>({1}, {float16(1)})));
  EXPECT_THAT(make<int32_t>({1}, {100001}),
              Not(IsClose(make<int32_t>({1}, {100000}))));
}

TEST(IsCloseTest, TakesAToleranceOfItsOwn) {
  const Array one = make<float>({1}, {1});
  EXPECT_THAT(make<float>({1}, {1.25f}), IsClose(one, {.atol = 0.25}));
  EXPECT_THAT(make<float>({1}, {1.25f}), IsClose(one, {.rtol = 0.25}));
  EXPECT_THAT(make<float>({1}, {1.5f}), Not(IsClose(one, {.atol = 0.25})));
}

TEST(IsCloseTest, DescribesWhatItExpects) {
  EXPECT_THAT(
      ::testing::DescribeMatcher<Array>(IsClose(make<float>({2}, {1, 2}))),
      HasSubstr("is an array of dtype float32 and shape (2,), within rtol "
                "0.0001 and atol 1e-05 of\n[1. 2.]"));
}

}  // namespace
}  // namespace catena::testing
