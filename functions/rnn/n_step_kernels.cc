// The kernels of the n_step functions.

#include "catena/functions/cells/cell_kernel.h"
#include "catena/functions/rnn/n_step_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kNStepTables =
    functor_tables<functions::CellFamily>(functions::NStepOps());

}  // namespace catena::array::CATENA_BACKEND
