// The kernels of the arithmetic operators.

#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/math/internal/arithmetic_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kArithmeticKernels =
    register_rules(functions::ArithmeticRules());

}  // namespace catena::kernels::CATENA_BACKEND
