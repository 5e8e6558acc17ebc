#pragma once

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/elementwise_args.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/kernels/table_row.h"
#include "catena/array/kernels/ufunc_bit_ops.h"
#include "catena/array/kernels/ufunc_float_ops.h"
#include "catena/array/kernels/ufunc_ops.h"

// The table of ufuncs. To add one: a functor in ufunc_*ops.h, a row here, its
// declaration in ufunc.h. Kernels for every backend and dtype, introspection
// and the common tests are generated from the table.
namespace catena::array {

// How the dtype that a ufunc computes in follows from its operands' dtypes.
enum class DtypeRule : uint8_t {
  kPromote,     // NumPy's promotion of the operands
  kFloat,       // kPromote; integers give the float that holds them
  kTrueDivide,  // kPromote; anything but floats gives float64
  kNumber,      // kPromote; bool gives int8
};

// Storage types of a functor's operands, as templates of its T. Types that do
// not depend on T have a fixed dtype.
template <class T>
using UnaryIn = TypeList<T>;
template <class T>
using BinaryIn = TypeList<T, T>;
template <class T>
using TernaryIn = TypeList<T, T, T>;
template <class T>
using WhereIn = TypeList<bool, T, T>;
template <class T>
using LdexpIn = TypeList<T, int64_t>;
template <class T>
using SameOut = TypeList<T>;
template <class T>
using BoolOut = TypeList<bool>;
template <class T>
using PairOut = TypeList<T, T>;
template <class T>
using FrexpOut = TypeList<T, int32_t>;

// The neighbour of a 16-bit float is computed from its bits.
template <class T>
using NextafterType = std::conditional_t<sizeof(T) == 2, FloatBits<T>, T>;
template <class T>
using NextafterIn = BinaryIn<NextafterType<T>>;
template <class T>
using NextafterOut = SameOut<NextafterType<T>>;

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
};

template <class Op, class Dtypes, DtypeRule rule = DtypeRule::kPromote>
using UnaryRow = UfuncRow<Op, UnaryIn, SameOut, Dtypes, rule>;
template <class Op, class Dtypes, DtypeRule rule = DtypeRule::kPromote>
using BinaryRow = UfuncRow<Op, BinaryIn, SameOut, Dtypes, rule>;
template <class Op, template <class> class In>
using TestRow = UfuncRow<Op, In, BoolOut, AllTypes, DtypeRule::kPromote>;
template <class Op, template <class> class In,
          template <class> class Out = SameOut>
using FloatRow = UfuncRow<Op, In, Out, FloatTypes, DtypeRule::kFloat>;

using BitTypes = decltype(BoolTypes{} + IntTypes{});

// Each group's kernels are compiled separately.
using ArithmeticUfuncs = TypeList<
    BinaryRow<AddOp, AllTypes>, BinaryRow<SubtractOp, NumberTypes>,
    BinaryRow<MultiplyOp, AllTypes>,
    BinaryRow<TrueDivideOp, FloatTypes, DtypeRule::kTrueDivide>,
    BinaryRow<FloorDivideOp, NumberTypes, DtypeRule::kNumber>,
    BinaryRow<RemainderOp, NumberTypes, DtypeRule::kNumber>,
    BinaryRow<FmodOp, NumberTypes, DtypeRule::kNumber>,
    UfuncRow<DivmodOp, BinaryIn, PairOut, NumberTypes, DtypeRule::kNumber>,
    BinaryRow<PowerOp, NumberTypes, DtypeRule::kNumber>,
    BinaryRow<MaximumOp, AllTypes>, BinaryRow<MinimumOp, AllTypes>,
    BinaryRow<FmaxOp, AllTypes>, BinaryRow<FminOp, AllTypes>,
    UnaryRow<PositiveOp, NumberTypes>, UnaryRow<NegativeOp, NumberTypes>,
    UnaryRow<AbsoluteOp, AllTypes>, UnaryRow<SignOp, NumberTypes>,
    UnaryRow<SquareOp, NumberTypes, DtypeRule::kNumber>,
    UnaryRow<ReciprocalOp, NumberTypes, DtypeRule::kNumber>,
    UnaryRow<ReluOp, NumberTypes>,
    UfuncRow<MultiplyAddOp, TernaryIn, SameOut, AllTypes, DtypeRule::kPromote>,
    UfuncRow<ClipOp, TernaryIn, SameOut, AllTypes, DtypeRule::kPromote>,
    UfuncRow<WhereOp, WhereIn, SameOut, AllTypes, DtypeRule::kPromote>>;

using ExponentialUfuncs =
    TypeList<FloatRow<ExpOp, UnaryIn>, FloatRow<Exp2Op, UnaryIn>,
             FloatRow<Expm1Op, UnaryIn>, FloatRow<LogOp, UnaryIn>,
             FloatRow<Log2Op, UnaryIn>, FloatRow<Log10Op, UnaryIn>,
             FloatRow<Log1pOp, UnaryIn>, FloatRow<SqrtOp, UnaryIn>,
             FloatRow<CbrtOp, UnaryIn>, FloatRow<SigmoidOp, UnaryIn>,
             FloatRow<LogAddExpOp, BinaryIn>, FloatRow<LogAddExp2Op, BinaryIn>>;

using TrigonometricUfuncs =
    TypeList<FloatRow<SinOp, UnaryIn>, FloatRow<CosOp, UnaryIn>,
             FloatRow<TanOp, UnaryIn>, FloatRow<ArcsinOp, UnaryIn>,
             FloatRow<ArccosOp, UnaryIn>, FloatRow<ArctanOp, UnaryIn>,
             FloatRow<SinhOp, UnaryIn>, FloatRow<CoshOp, UnaryIn>,
             FloatRow<TanhOp, UnaryIn>, FloatRow<ArcsinhOp, UnaryIn>,
             FloatRow<ArccoshOp, UnaryIn>, FloatRow<ArctanhOp, UnaryIn>,
             FloatRow<Deg2radOp, UnaryIn>, FloatRow<Rad2degOp, UnaryIn>,
             FloatRow<Arctan2Op, BinaryIn>, FloatRow<HypotOp, BinaryIn>>;

using FloatingUfuncs =
    TypeList<FloatRow<FloorOp, UnaryIn>, FloatRow<CeilOp, UnaryIn>,
             FloatRow<TruncOp, UnaryIn>, FloatRow<RintOp, UnaryIn>,
             FloatRow<CopysignOp, BinaryIn>,
             FloatRow<SignbitOp, UnaryIn, BoolOut>,
             FloatRow<NextafterOp, NextafterIn, NextafterOut>,
             FloatRow<LdexpOp, LdexpIn>, FloatRow<FrexpOp, UnaryIn, FrexpOut>,
             FloatRow<ModfOp, UnaryIn, PairOut>>;

using LogicUfuncs =
    TypeList<TestRow<EqualOp, BinaryIn>, TestRow<NotEqualOp, BinaryIn>,
             TestRow<LessOp, BinaryIn>, TestRow<LessEqualOp, BinaryIn>,
             TestRow<GreaterOp, BinaryIn>, TestRow<GreaterEqualOp, BinaryIn>,
             TestRow<LogicalAndOp, BinaryIn>, TestRow<LogicalOrOp, BinaryIn>,
             TestRow<LogicalXorOp, BinaryIn>, TestRow<LogicalNotOp, UnaryIn>,
             FloatRow<IsNanOp, UnaryIn, BoolOut>,
             FloatRow<IsInfOp, UnaryIn, BoolOut>,
             FloatRow<IsFiniteOp, UnaryIn, BoolOut>>;

using BitUfuncs =
    TypeList<BinaryRow<BitwiseAndOp, BitTypes>,
             BinaryRow<BitwiseOrOp, BitTypes>,
             BinaryRow<BitwiseXorOp, BitTypes>, UnaryRow<InvertOp, BitTypes>,
             BinaryRow<LeftShiftOp, IntTypes, DtypeRule::kNumber>,
             BinaryRow<RightShiftOp, IntTypes, DtypeRule::kNumber>>;

using UfuncTable = decltype(ArithmeticUfuncs{} + ExponentialUfuncs{} +
                            TrigonometricUfuncs{} + FloatingUfuncs{} +
                            LogicUfuncs{} + BitUfuncs{});

// The row of a functor.
template <class Op>
using RowOf = typename FindRow<Op, UfuncTable>::type;

struct UfuncFamily : ElementwiseFamily {
  template <class Op>
  using Dtypes = typename RowOf<Op>::Dtypes;
};

}  // namespace catena::array
