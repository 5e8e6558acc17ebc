// The kernels of functions around the gamma function.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/gamma_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kGammaTables = rule_tables(functions::GammaRules());

}  // namespace catena::array::CATENA_BACKEND
