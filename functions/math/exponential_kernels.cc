// The kernels of exponentials, logarithms and roots.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/exponential_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kExponentialTables =
    rule_tables(functions::ExponentialRules());

}  // namespace catena::array::CATENA_BACKEND
