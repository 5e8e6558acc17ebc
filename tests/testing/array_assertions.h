#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/source_location.h"

// NumPy's assertions as GoogleTest failures that do not end the test. They
// compare arrays of any devices by value; unlike the matchers of
// array_matchers.h they let dtypes differ (values are compared in what these
// promote to) and a 0-d array stand beside any shape. NaN equals NaN. A failure
// names the assertion, says how many elements differ and by how much at most,
// and shows the first of them; it is reported at the caller's line.
namespace catena::testing {

struct AssertOptions {
  // Stands before the message.
  std::string err_msg = {};
  // Whether the differing elements are shown.
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

// |x - y| <= nulp * spacing(max(|x|, |y|)) for floats of one dtype, where
// spacing is the distance to the next number away from 0. NaN fails.
void assert_array_almost_equal_nulp(
    const Array& x, const Array& y, double nulp = 1,
    const SourceLocation& where = SourceLocation::current());

// At most `maxulp` floats lie between a and b, both cast to `dtype` first if
// given; else of one floating dtype.
void assert_array_max_ulp(
    const Array& a, const Array& b, int64_t maxulp = 1,
    std::optional<Dtype> dtype = std::nullopt,
    const SourceLocation& where = SourceLocation::current());

// x == y; 0 equals -0.
void assert_array_equal(
    const Array& x, const Array& y, const AssertOptions& options = {},
    const SourceLocation& where = SourceLocation::current());

// assert_array_equal of the arrays in pairs; the lists are of one length.
void assert_array_list_equal(
    const std::vector<Array>& xlist, const std::vector<Array>& ylist,
    const AssertOptions& options = {},
    const SourceLocation& where = SourceLocation::current());

// x < y; so NaN fails.
void assert_array_less(const Array& x, const Array& y,
                       const AssertOptions& options = {},
                       const SourceLocation& where = SourceLocation::current());

}  // namespace catena::testing
