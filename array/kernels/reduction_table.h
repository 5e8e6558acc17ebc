#pragma once

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/kernels/reduction_args.h"
#include "catena/array/kernels/reduction_ops.h"
#include "catena/array/kernels/table_row.h"

// The table of reductions. To add one: a functor in reduction_ops.h, a row
// here, a wrapper in reduce.h and reduce.cc. Kernels for every backend and the
// dtype tests are generated from the table.
namespace catena::array {

template <class OpType, class OpDtypes>
struct ReductionRow {
  using Op = OpType;
  using Dtypes = OpDtypes;  // of the input
};

// Each group's kernels are compiled separately.
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

struct ReductionFamily {
  using Kernel = ReduceKernel;
  using Table = ReduceTable;
  template <class Op>
  using Dtypes = typename FindRow<Op, ReductionTable>::type::Dtypes;
};

}  // namespace catena::array
