#include "catena/functions/engines/cells/cell_kernel.h"
#include "catena/functions/rnn/internal/n_step_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kNStepKernels =
    register_kernels<functions::CellFamily>(functions::NStepOps());

}  // namespace catena::kernels::CATENA_BACKEND
