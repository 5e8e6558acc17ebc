// The kernels of every row of the reduction table.

#include <array>

#include "catena/array/reduction_kernel.h"
#include "catena/array/reduction_table.h"
#include "catena/array/ufunc_table.h"

namespace catena::array::CATENA_BACKEND {
namespace {

template <class Op, class... Ts>
constexpr ReduceTable table_of(TypeList<Ts...>) {
  ReduceTable table;
  (table.set(dtype_of<Ts>, ReductionLoop<Op, Ts>::run), ...);
  return table;
}

}  // namespace

template <class Op>
const ReduceTable Reductions<Op>::table =
    table_of<Op>(typename FindRow<Op, ReductionTable>::type::Dtypes());

// Instantiates the tables; on CUDA it installs them too.
template <class... Rows>
constexpr auto tables_of(TypeList<Rows...>) {
#ifdef __CUDACC__
  (reduction_slot<typename Rows::Op>.set_cuda(
       &Reductions<typename Rows::Op>::table),
   ...);
#endif
  return std::array{&Reductions<typename Rows::Op>::table...};
}
extern const std::array kReductionTables = tables_of(ReductionTable());

}  // namespace catena::array::CATENA_BACKEND
