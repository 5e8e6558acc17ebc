#pragma once

#include "catena/array/dtype.h"
#include "catena/array/elementwise.h"
#include "catena/array/kernel_slot.h"
#include "catena/array/ufunc_ops.h"

// The table of ufuncs. To add one: a functor in ufunc_ops.h, a row here, a
// one-line wrapper in ufunc.h and ufunc.cc. Kernels for every backend, the
// dtype tests and the benchmarks walk the table.
namespace catena::array {

// How the dtype in which a ufunc computes follows from its operands'.
enum class DtypeRule : uint8_t {
  kPromote,     // NumPy's promotion of the operands
  kFloat,       // the same; integers give the float that holds them
  kTrueDivide,  // the same; anything but floats gives float64
  kNumber,      // the same; bool gives int8
};

// Storage types of a functor's operands, as templates of its T.
template <class T>
using UnaryIn = TypeList<T>;
template <class T>
using BinaryIn = TypeList<T, T>;
template <class T>
using TernaryIn = TypeList<T, T, T>;
template <class T>
using WhereIn = TypeList<bool, T, T>;
template <class T>
using SameOut = TypeList<T>;
template <class T>
using BoolOut = TypeList<bool>;

template <class OpType, template <class> class InTypes,
          template <class> class OutTypes, class OpDtypes, DtypeRule rule>
struct UfuncRow {
  using Op = OpType;
  template <class T>
  using In = InTypes<T>;
  template <class T>
  using Out = OutTypes<T>;
  using Dtypes = OpDtypes;
  static constexpr DtypeRule kRule = rule;
  static constexpr bool kBoolResult =
      std::is_same_v<OutTypes<float>, TypeList<bool>>;
};

template <class Op, class Dtypes, DtypeRule rule = DtypeRule::kPromote>
using UnaryRow = UfuncRow<Op, UnaryIn, SameOut, Dtypes, rule>;
template <class Op, class Dtypes, DtypeRule rule = DtypeRule::kPromote>
using BinaryRow = UfuncRow<Op, BinaryIn, SameOut, Dtypes, rule>;
template <class Op, DtypeRule rule = DtypeRule::kPromote>
using UnaryTestRow = UfuncRow<Op, UnaryIn, BoolOut, AllTypes, rule>;
template <class Op>
using BinaryTestRow =
    UfuncRow<Op, BinaryIn, BoolOut, AllTypes, DtypeRule::kPromote>;

using UfuncTable = TypeList<
    BinaryRow<AddOp, AllTypes>,          //
    BinaryRow<SubtractOp, NumberTypes>,  //
    BinaryRow<MultiplyOp, AllTypes>,     //
    BinaryRow<TrueDivideOp, FloatTypes, DtypeRule::kTrueDivide>,
    BinaryRow<FloorDivideOp, NumberTypes, DtypeRule::kNumber>,
    BinaryRow<RemainderOp, NumberTypes, DtypeRule::kNumber>,
    BinaryRow<PowerOp, NumberTypes, DtypeRule::kNumber>,  //
    BinaryRow<MaximumOp, AllTypes>,                       //
    BinaryRow<MinimumOp, AllTypes>,                       //
    UnaryRow<NegativeOp, NumberTypes>,                    //
    UnaryRow<AbsoluteOp, AllTypes>,                       //
    UnaryRow<SignOp, NumberTypes>,                        //
    UnaryRow<SquareOp, NumberTypes, DtypeRule::kNumber>,  //
    UnaryRow<ExpOp, FloatTypes, DtypeRule::kFloat>,       //
    UnaryRow<LogOp, FloatTypes, DtypeRule::kFloat>,       //
    UnaryRow<Log1pOp, FloatTypes, DtypeRule::kFloat>,     //
    UnaryRow<SqrtOp, FloatTypes, DtypeRule::kFloat>,      //
    UnaryRow<TanhOp, FloatTypes, DtypeRule::kFloat>,      //
    UnaryRow<SigmoidOp, FloatTypes, DtypeRule::kFloat>,   //
    UnaryRow<ReluOp, NumberTypes>,                        //
    BinaryTestRow<EqualOp>,                               //
    BinaryTestRow<NotEqualOp>,                            //
    BinaryTestRow<LessOp>,                                //
    BinaryTestRow<LessEqualOp>,                           //
    BinaryTestRow<GreaterOp>,                             //
    BinaryTestRow<GreaterEqualOp>,                        //
    BinaryTestRow<LogicalAndOp>,                          //
    BinaryTestRow<LogicalOrOp>,                           //
    BinaryTestRow<LogicalXorOp>,                          //
    UnaryTestRow<LogicalNotOp>,                           //
    UnaryTestRow<IsNanOp, DtypeRule::kFloat>,             //
    UnaryTestRow<IsFiniteOp, DtypeRule::kFloat>,          //
    UfuncRow<MultiplyAddOp, TernaryIn, SameOut, AllTypes, DtypeRule::kPromote>,
    UfuncRow<WhereOp, WhereIn, SameOut, AllTypes, DtypeRule::kPromote>>;

// The row of a functor.
template <class Op, class Table = UfuncTable>
struct FindRow;
template <class Op, class Row, class... Rows>
struct FindRow<Op, TypeList<Row, Rows...>>
    : std::conditional_t<std::is_same_v<Op, typename Row::Op>,
                         std::type_identity<Row>,
                         FindRow<Op, TypeList<Rows...>>> {};
template <class Op>
struct FindRow<Op, TypeList<>> {};
template <class Op>
using RowOf = typename FindRow<Op>::type;

}  // namespace catena::array
