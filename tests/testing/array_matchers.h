#pragma once

#include <gmock/gmock.h>

#include <iosfwd>

#include "catena/array/array.h"

namespace catena::testing {

// |actual - expected| <= atol + rtol * |expected|.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

// The default tolerance for results of a dtype. Integers and bool are exact.
Tolerance default_tolerance(Dtype dtype);

// Compares an array on any device with an expected one: dtype and shape
// exactly, integers exactly, floats within the tolerance. NaN equals NaN,
// infinities equal only themselves, and 0 equals -0. A mismatch lists the first
// differing elements.
class ArrayMatcher {
 public:
  using is_gtest_matcher = void;

  ArrayMatcher(Array expected, Tolerance tolerance);

  // GoogleTest's interface of matchers.
  bool MatchAndExplain(const Array& actual, std::ostream* explanation) const;
  void DescribeTo(std::ostream* os) const;
  void DescribeNegationTo(std::ostream* os) const;

 private:
  Array expected_;
  Tolerance tolerance_;
};

// EXPECT_THAT(y, IsArray(expected)): the same dtype, shape and values.
ArrayMatcher IsArray(const Array& expected);

// EXPECT_THAT(y, IsClose(expected)): values within the default tolerance of the
// expected dtype, or within {.rtol = 1e-3, .atol = 1e-6}.
ArrayMatcher IsClose(const Array& expected);
ArrayMatcher IsClose(const Array& expected, Tolerance tolerance);

}  // namespace catena::testing
