#include "catena/functions/loss/covariance.h"

#include <algorithm>

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

constexpr std::string_view kHalfSquaredSum = "half_squared_sum";

Variable centered(const Variable& x) {
  return x - average(x, {.axis = 0, .keepdims = true});
}

// The rows are centered.
Variable covariances(const Variable& y, const Variable& z) {
  const double count = std::max<double>(y.shape()[0], 1);
  return matmul(y, z, {.transa = true}) / count;
}

Variable half_squared_sum(const Variable& c) { return sum(square(c)) * 0.5; }

}  // namespace

Variable cross_covariance(const Variable& y, const Variable& z,
                          const CovarianceOptions& options) {
  const bool sums =
      reduces(options.reduce, kHalfSquaredSum, "cross_covariance");
  if (config().type_check) {
    const VariableRef inputs[] = {y, z};
    TypeCheck in("cross_covariance", inputs);
    const auto [a, b] = in.names<2>({"y", "z"});
    in.expect_floating(a);
    in.expect(a.dtype() == b.dtype(), a.ndim() == type_check::Term(2),
              b.ndim() == type_check::Term(2));
    in.expect(a.shape(0) == b.shape(0));
  }
  const Variable c = covariances(centered(y), centered(z));
  return sums ? half_squared_sum(c) : c;
}

Variable decov(const Variable& h, const CovarianceOptions& options) {
  const bool sums = reduces(options.reduce, kHalfSquaredSum, "decov");
  if (config().type_check) {
    const VariableRef inputs[] = {h};
    TypeCheck in("decov", inputs);
    const auto [x] = in.names<1>({"h"});
    in.expect_floating(x);
    in.expect(x.ndim() == type_check::Term(2));
  }
  const Variable x = centered(h);
  const int64_t width = h.shape()[1];
  const Array apart = array::ones({width, width}, h.dtype(), h.device()) -
                      array::eye(width, std::nullopt,
                                 {.dtype = h.dtype(), .device = h.device()});
  const Variable c = covariances(x, x) * apart;
  return sums ? half_squared_sum(c) : c;
}

}  // namespace catena::functions
