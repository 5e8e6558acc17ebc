// The kernels of the arithmetic operators.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/arithmetic_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kArithmeticTables = rule_tables(functions::ArithmeticRules());

}  // namespace catena::array::CATENA_BACKEND
