// The kernels of the arithmetic operators.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/arithmetic_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kArithmeticKernels =
    register_rules(functions::ArithmeticRules());

}  // namespace catena::kernels::CATENA_BACKEND
