// The kernels of hyperbolic functions.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/hyperbolic_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kHyperbolicRuleTables =
    rule_tables(functions::HyperbolicRules());

}  // namespace catena::array::CATENA_BACKEND
