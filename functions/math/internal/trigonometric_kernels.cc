#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/math/internal/trigonometric_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kTrigonometricRuleKernels =
    register_rules(functions::TrigonometricRules());

}  // namespace catena::kernels::CATENA_BACKEND
