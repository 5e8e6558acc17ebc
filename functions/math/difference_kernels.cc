// The kernels of functions that compare two arrays.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/difference_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kDifferenceTables = rule_tables(functions::DifferenceRules());

}  // namespace catena::array::CATENA_BACKEND
