// The kernels of trigonometric functions and their inverses.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/trigonometric_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kTrigonometricRuleKernels =
    register_rules(functions::TrigonometricRules());

}  // namespace catena::kernels::CATENA_BACKEND
