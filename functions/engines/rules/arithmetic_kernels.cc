#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/engines/rules/arithmetic_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kArithmeticKernels =
    register_rules(functions::ArithmeticRules());

}  // namespace catena::kernels::CATENA_BACKEND
