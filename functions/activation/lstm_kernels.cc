// The kernels of lstm, slstm and tree_lstm.

#include "catena/functions/activation/lstm_ops.h"
#include "catena/functions/cells/cell_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kLstmTables = cell_tables(functions::LstmOps());

}  // namespace catena::array::CATENA_BACKEND
