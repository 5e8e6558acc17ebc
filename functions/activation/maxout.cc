#include "catena/functions/activation/maxout.h"

#include "catena/array/core/error.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/axes.h"
#include "catena/functions/math/max.h"

namespace catena::functions {

Variable maxout(const Variable& x, int64_t pool_size,
                const AxisOption& options) {
  if (pool_size <= 0) {
    raise<ValueError>("maxout: expected pool_size > 0, got ", pool_size);
  }
  const VariableRef inputs[] = {x};
  TypeCheck in("maxout", inputs);
  const auto [input] = in.names<1>({"x"});
  in.expect_floating(input);
  expect_axis(in, input, options.axis);
  const int at = normalize_axis(options.axis, x.ndim(), "maxout");
  const int64_t extent = x.shape()[at];
  if (extent % pool_size != 0) {
    in.fail(str("x.shape[", at, "] % pool_size == 0"),
            str(extent, " % ", pool_size, " == ", extent % pool_size));
  }
  Shape pooled = x.shape();
  pooled[at] = extent / pool_size;
  pooled.insert(at + 1, pool_size);
  return max(reshape(x, pooled), at + 1);
}

}  // namespace catena::functions
