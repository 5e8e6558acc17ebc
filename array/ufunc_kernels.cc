// The kernels of every row of the ufunc table.

#include "catena/array/elementwise_kernel.h"
#include "catena/array/kernel_tables.h"
#include "catena/array/ufunc_table.h"

namespace catena::array::CATENA_BACKEND {
namespace {

template <class Row>
constexpr ElementwiseTable table_of_row() {
  return elementwise_table<typename Row::Op, Row::template In,
                           Row::template Out>(typename Row::Dtypes());
}

}  // namespace

template <class Op>
const ElementwiseTable Kernels<Op>::table = table_of_row<RowOf<Op>>();

// Instantiates the tables; who calls a ufunc refers to its table alone.
template <class... Rows>
constexpr auto tables_of(TypeList<Rows...>) {
  return instantiate_kernels<typename Rows::Op...>();
}
extern const std::array kUfuncTables = tables_of(UfuncTable());

}  // namespace catena::array::CATENA_BACKEND
