// The kernels of the inverses of the error function and its kin.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/inverse_error_function_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kInverseErrorFunctionTables =
    rule_tables(functions::InverseErrorFunctionRules());

}  // namespace catena::array::CATENA_BACKEND
