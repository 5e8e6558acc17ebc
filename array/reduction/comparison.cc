#include "catena/array/reduction/comparison.h"

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

Array as_floating(const Array& a) {
  return is_floating(a.dtype()) ? a : a.astype(Dtype::kFloat64);
}

}  // namespace

bool array_equal(const Array& a, const Array& b) {
  return a.shape() == b.shape() && all(equal(a, b)).item<bool>();
}

Array isclose(const Array& a, const Array& b, const IscloseOptions& options) {
  if (!(options.rtol >= 0) || !(options.atol >= 0)) {
    raise<ValueError>("isclose: expected tolerances of at least 0, got rtol ",
                      options.rtol, " and atol ", options.atol);
  }
  const Array x = as_floating(a);
  const Array y = as_floating(b);
  const Array near = less_equal(
      abs(x - y), abs(y) * Scalar(options.rtol) + Scalar(options.atol));
  Array close = logical_or(equal(x, y), logical_and(near, isfinite(y)));
  if (options.equal_nan) {
    close = logical_or(close, logical_and(isnan(x), isnan(y)));
  }
  return close;
}

bool allclose(const Array& a, const Array& b, const IscloseOptions& options) {
  return all(isclose(a, b, options)).item<bool>();
}

}  // namespace catena::array
