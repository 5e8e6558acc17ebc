#pragma once

// What a file of ufunc kernels includes: it instantiates the tables of a group
// of rows once, by ufunc_tables(Group()).

#include "catena/array/elementwise_kernel.h"
#include "catena/array/kernel_tables.h"
#include "catena/array/ufunc_table.h"

namespace catena::array::CATENA_BACKEND {

template <class Row>
constexpr ElementwiseTable table_of_row() {
  return elementwise_table<typename Row::Op, Row::template In,
                           Row::template Out>(typename Row::Dtypes());
}

template <class Op>
const ElementwiseTable Kernels<Op>::table = table_of_row<RowOf<Op>>();

// Refers to the tables of the rows, and so instantiates them; who calls a ufunc
// refers to its table alone.
template <class... Rows>
constexpr auto ufunc_tables(TypeList<Rows...>) {
  return instantiate_kernels<typename Rows::Op...>();
}

}  // namespace catena::array::CATENA_BACKEND
