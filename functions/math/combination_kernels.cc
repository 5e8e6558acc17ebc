// The kernels of sums of several arrays.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/combination_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kCombinationRuleTables =
    rule_tables(functions::CombinationRules());

}  // namespace catena::array::CATENA_BACKEND
