// The kernels of local_response_normalization.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/normalization/local_response_normalization_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kLocalResponseTables =
    rule_tables(TypeList<functions::LocalResponse>());

}  // namespace catena::array::CATENA_BACKEND
