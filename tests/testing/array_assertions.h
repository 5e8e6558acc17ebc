#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/source_location.h"

// NumPy's assertions as non-fatal GoogleTest failures. They compare arrays on
// any devices by value. Unlike the matchers of array_matchers.h, dtypes may
// differ (values are compared in the promoted dtype) and a 0-d array matches
// any shape. NaN equals NaN. A failure names the assertion, the number of
// differing elements and the largest difference, shows the first differing
// elements, and is reported at the caller's line.
namespace catena::testing {

struct AssertOptions {
  // Prefix of the failure message.
  std::string err_msg = {};
  // Whether to show the differing elements.
  bool verbose = true;
};

struct AllcloseOptions {
  double rtol = 1e-7;
  double atol = 0;
  std::string err_msg = {};
  bool verbose = true;
};

// |actual - desired| <= atol + rtol * |desired|. With Chainer's tolerances:
// gradient_check::assert_allclose.
void assert_allclose(const Array& actual, const Array& desired,
                     const AllcloseOptions& options = {},
                     const SourceLocation& where = SourceLocation::current());

// |x - y| < 1.5 * 10^-decimal.
void assert_array_almost_equal(
    const Array& x, const Array& y, int decimal = 6,
    const AssertOptions& options = {},
    const SourceLocation& where = SourceLocation::current());

// |x - y| <= nulp * spacing(max(|x|, |y|)) for floats of the same dtype, where
// spacing is the distance to the next number away from 0. NaN fails.
void assert_array_almost_equal_nulp(
    const Array& x, const Array& y, double nulp = 1,
    const SourceLocation& where = SourceLocation::current());

// a and b are at most `maxulp` floats apart, both cast to `dtype` if given;
// otherwise both have the same floating dtype.
void assert_array_max_ulp(
    const Array& a, const Array& b, int64_t maxulp = 1,
    std::optional<Dtype> dtype = std::nullopt,
    const SourceLocation& where = SourceLocation::current());

// x == y; 0 equals -0.
void assert_array_equal(
    const Array& x, const Array& y, const AssertOptions& options = {},
    const SourceLocation& where = SourceLocation::current());

// assert_array_equal for each pair of arrays; the lists have equal length.
void assert_array_list_equal(
    const std::vector<Array>& xlist, const std::vector<Array>& ylist,
    const AssertOptions& options = {},
    const SourceLocation& where = SourceLocation::current());

// x < y; NaN fails.
void assert_array_less(const Array& x, const Array& y,
                       const AssertOptions& options = {},
                       const SourceLocation& where = SourceLocation::current());

}  // namespace catena::testing
