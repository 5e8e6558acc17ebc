// The kernels of functions that mix their inputs with random arrays.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/noise/noise_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kNoiseTables = rule_tables(functions::NoiseRules());

}  // namespace catena::array::CATENA_BACKEND
