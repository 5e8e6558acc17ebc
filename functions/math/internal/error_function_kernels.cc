#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/math/internal/error_function_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kErrorFunctionKernels =
    register_rules(functions::ErrorFunctionRules());

}  // namespace catena::kernels::CATENA_BACKEND
