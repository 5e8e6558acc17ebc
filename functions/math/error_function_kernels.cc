// The kernels of the error function and its kin.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/error_function_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kErrorFunctionTables =
    rule_tables(functions::ErrorFunctionRules());

}  // namespace catena::array::CATENA_BACKEND
