#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/source_location.h"
#include "catena/tests/testing/array_assertions.h"

// CuPy's comparisons of two implementations of one routine, here of one body on
// two devices: native:0, and every other one that this machine offers (a second
// native device, and cuda:0 where it is linked and present). The body runs with
// the device as the current one; both results are compared as the assertion of
// array_assertions.h in the name does. A failure names the device.
namespace catena::testing {

using DeviceBody = std::function<Array()>;
using DeviceListBody = std::function<std::vector<Array>()>;

struct ComparisonOptions {
  // Whether dtypes have to agree too.
  bool type_check = true;
  // Whether a catena::Error on both, of one type, counts as agreement; else an
  // error is a failure.
  bool accept_error = true;
  std::string err_msg = {};
};

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
// The other device's result is less than native:0's.
void numpy_cupy_array_less(
    const DeviceBody& body, const ComparisonOptions& options = {},
    const SourceLocation& where = SourceLocation::current());

// The body throws errors of one type on all devices.
void numpy_cupy_raises(const std::function<void()>& body,
                       const SourceLocation& where = SourceLocation::current());

}  // namespace catena::testing
