// The kernels of activations made of exponentials.

#include "catena/functions/activation/smooth_ops.h"
#include "catena/functions/elementwise/rule_kernels.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kSmoothTables = rule_tables(functions::SmoothRules());

}  // namespace catena::array::CATENA_BACKEND
