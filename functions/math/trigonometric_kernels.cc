// The kernels of trigonometric functions and their inverses.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/trigonometric_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kTrigonometricRuleTables =
    rule_tables(functions::TrigonometricRules());

}  // namespace catena::array::CATENA_BACKEND
