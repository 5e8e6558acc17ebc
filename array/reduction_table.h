#pragma once

#include "catena/array/dtype.h"
#include "catena/array/kernel_slot.h"
#include "catena/array/reduction.h"
#include "catena/array/reduction_ops.h"

// The table of reductions. To add one: a functor in reduction_ops.h, a row
// here, a wrapper in reduce.h and reduce.cc. Kernels for every backend and the
// dtype tests walk the table.
namespace catena::array {

template <class OpType, class OpDtypes>
struct ReductionRow {
  using Op = OpType;
  using Dtypes = OpDtypes;  // of the input
};

// The kernels of each group are compiled by themselves.
using PlainReductions =
    TypeList<ReductionRow<SumOp, AllTypes>, ReductionRow<ProdOp, AllTypes>,
             ReductionRow<MeanOp, AllTypes>, ReductionRow<MaxOp, AllTypes>,
             ReductionRow<MinOp, AllTypes>, ReductionRow<ArgMaxOp, AllTypes>,
             ReductionRow<ArgMinOp, AllTypes>, ReductionRow<AllOp, AllTypes>,
             ReductionRow<AnyOp, AllTypes>,
             ReductionRow<CountNonzeroOp, AllTypes>,
             ReductionRow<SumOfSquaresOp, FloatTypes>>;
using DeviationReductions =
    TypeList<ReductionRow<SquaredDeviationsOp, AllTypes>>;

using ReductionTable = decltype(PlainReductions{} + DeviationReductions{});

// Where each compilation of the kernels puts its tables, as in kernel_tables.h.
namespace cpu_baseline {
template <class Op>
struct Reductions {
  static const ReduceTable table;
};
}  // namespace cpu_baseline
#ifndef CATENA_ONLY_CPU_BASELINE
namespace cpu_avx2 {
template <class Op>
struct Reductions {
  static const ReduceTable table;
};
}  // namespace cpu_avx2
namespace cpu_avx512 {
template <class Op>
struct Reductions {
  static const ReduceTable table;
};
}  // namespace cpu_avx512
#endif
namespace cuda {
template <class Op>
struct Reductions {
  static const ReduceTable table;
};
}  // namespace cuda

// CUDA's table is installed when its library is linked.
template <class Op>
inline constinit KernelSlot<ReduceTable> reduction_slot = {
    Op::kName,
    {&cpu_baseline::Reductions<Op>::table, &cpu_avx2::Reductions<Op>::table,
     &cpu_avx512::Reductions<Op>::table, nullptr}};

}  // namespace catena::array
