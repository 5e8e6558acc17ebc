#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/math/internal/combination_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kCombinationRuleKernels =
    register_rules(functions::CombinationRules());

}  // namespace catena::kernels::CATENA_BACKEND
