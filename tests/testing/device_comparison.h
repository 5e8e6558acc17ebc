#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/source_location.h"
#include "catena/tests/testing/array_assertions.h"

// Like CuPy's comparisons of two implementations, but runs one body on native:0
// and on every other available device (a second native device, and cuda:0 if
// linked and present). The body runs with the device as the current one;
// results are compared by the assertion of array_assertions.h in the name. A
// failure names the device.
namespace catena::testing {

// Computes an array on the current device, or several.
using DeviceBody = std::function<Array()>;
using DeviceListBody = std::function<std::vector<Array>()>;

struct ComparisonOptions {
  // Whether dtypes must also be equal.
  bool type_check = true;
  // Whether a catena::Error of the same type on both devices counts as equal;
  // otherwise any error is a failure.
  bool accept_error = true;
  std::string err_msg = {};
};

// Compare the results of all devices; the names say how.
void numpy_cupy_allclose(
    const DeviceBody& body, double rtol = 1e-7, double atol = 0,
    const ComparisonOptions& options = {},
    const SourceLocation& where = SourceLocation::current());
void numpy_cupy_array_almost_equal(
    const DeviceBody& body, int decimal = 6,
    const ComparisonOptions& options = {},
    const SourceLocation& where = SourceLocation::current());
void numpy_cupy_array_almost_equal_nulp(
    const DeviceBody& body, double nulp = 1,
    const ComparisonOptions& options = {},
    const SourceLocation& where = SourceLocation::current());
void numpy_cupy_array_max_ulp(
    const DeviceBody& body, int64_t maxulp = 1,
    const ComparisonOptions& options = {},
    const SourceLocation& where = SourceLocation::current());
void numpy_cupy_array_equal(
    const DeviceBody& body, const ComparisonOptions& options = {},
    const SourceLocation& where = SourceLocation::current());
void numpy_cupy_array_list_equal(
    const DeviceListBody& body, const ComparisonOptions& options = {},
    const SourceLocation& where = SourceLocation::current());
// Expects the other device's result to be less than native:0's.
void numpy_cupy_array_less(
    const DeviceBody& body, const ComparisonOptions& options = {},
    const SourceLocation& where = SourceLocation::current());

// Expects the body to throw errors of the same type on all devices.
void numpy_cupy_raises(const std::function<void()>& body,
                       const SourceLocation& where = SourceLocation::current());

}  // namespace catena::testing
