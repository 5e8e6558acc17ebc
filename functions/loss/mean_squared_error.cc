#include "catena/functions/loss/mean_squared_error.h"

#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/squared_difference.h"

namespace catena::functions {

Variable mean_squared_error(const Variable& x0, const Variable& x1) {
  if (config().type_check) {
    const VariableRef inputs[] = {x0, x1};
    TypeCheck in("mean_squared_error", inputs);
    const auto [a, b] = in.names<2>({"x0", "x1"});
    in.expect_floating(a);
    in.expect(a.dtype() == b.dtype(), a.shape() == b.shape());
  }
  return average(squared_difference(x0, x1));
}

}  // namespace catena::functions
