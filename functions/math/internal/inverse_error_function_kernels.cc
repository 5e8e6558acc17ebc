#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/math/internal/inverse_error_function_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kInverseErrorFunctionKernels =
    register_rules(functions::InverseErrorFunctionRules());

}  // namespace catena::kernels::CATENA_BACKEND
