// The kernels of lstm, slstm and tree_lstm.

#include "catena/functions/activation/lstm_ops.h"
#include "catena/functions/cells/cell_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kLstmTables =
    functor_tables<functions::CellFamily>(functions::LstmOps());

}  // namespace catena::array::CATENA_BACKEND
