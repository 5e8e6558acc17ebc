#include "catena/functions/activation/internal/lstm_ops.h"
#include "catena/functions/engines/cells/cell_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kLstmKernels =
    register_kernels<functions::CellFamily>(functions::LstmOps());

}  // namespace catena::kernels::CATENA_BACKEND
