#include "catena/array/ufunc.h"

#include "catena/array/error.h"
#include "catena/array/ufunc_call.h"

namespace catena {
namespace array {

Array add(const Operand& a, const Operand& b) {
  return apply_ufunc<AddOp>(a, b);
}
Array subtract(const Operand& a, const Operand& b) {
  return apply_ufunc<SubtractOp>(a, b);
}
Array multiply(const Operand& a, const Operand& b) {
  return apply_ufunc<MultiplyOp>(a, b);
}
Array multiply_add(const Operand& a, const Operand& b, const Operand& c) {
  return apply_ufunc<MultiplyAddOp>(a, b, c);
}
Array true_divide(const Operand& a, const Operand& b) {
  return apply_ufunc<TrueDivideOp>(a, b);
}
Array floor_divide(const Operand& a, const Operand& b) {
  return apply_ufunc<FloorDivideOp>(a, b);
}
Array remainder(const Operand& a, const Operand& b) {
  return apply_ufunc<RemainderOp>(a, b);
}

Array power(const Operand& a, const Operand& b) {
  if (!b.is_array() && b.scalar().kind() == DtypeKind::kInt &&
      b.scalar().as<int64_t>() < 0 && a.is_array() &&
      !is_floating(a.array().dtype())) {
    raise<ValueError>(
        "power: expected an exponent of at least 0 for integers, "
        "got ",
        b.scalar());
  }
  return apply_ufunc<PowerOp>(a, b);
}

Array negative(const Operand& x) { return apply_ufunc<NegativeOp>(x); }
Array absolute(const Operand& x) { return apply_ufunc<AbsoluteOp>(x); }
Array sign(const Operand& x) { return apply_ufunc<SignOp>(x); }
Array square(const Operand& x) { return apply_ufunc<SquareOp>(x); }
Array maximum(const Operand& a, const Operand& b) {
  return apply_ufunc<MaximumOp>(a, b);
}
Array minimum(const Operand& a, const Operand& b) {
  return apply_ufunc<MinimumOp>(a, b);
}
Array exp(const Operand& x) { return apply_ufunc<ExpOp>(x); }
Array log(const Operand& x) { return apply_ufunc<LogOp>(x); }
Array log1p(const Operand& x) { return apply_ufunc<Log1pOp>(x); }
Array sqrt(const Operand& x) { return apply_ufunc<SqrtOp>(x); }
Array tanh(const Operand& x) { return apply_ufunc<TanhOp>(x); }
Array sigmoid(const Operand& x) { return apply_ufunc<SigmoidOp>(x); }
Array relu(const Operand& x) { return apply_ufunc<ReluOp>(x); }
Array equal(const Operand& a, const Operand& b) {
  return apply_ufunc<EqualOp>(a, b);
}
Array not_equal(const Operand& a, const Operand& b) {
  return apply_ufunc<NotEqualOp>(a, b);
}
Array less(const Operand& a, const Operand& b) {
  return apply_ufunc<LessOp>(a, b);
}
Array less_equal(const Operand& a, const Operand& b) {
  return apply_ufunc<LessEqualOp>(a, b);
}
Array greater(const Operand& a, const Operand& b) {
  return apply_ufunc<GreaterOp>(a, b);
}
Array greater_equal(const Operand& a, const Operand& b) {
  return apply_ufunc<GreaterEqualOp>(a, b);
}
Array logical_and(const Operand& a, const Operand& b) {
  return apply_ufunc<LogicalAndOp>(a, b);
}
Array logical_or(const Operand& a, const Operand& b) {
  return apply_ufunc<LogicalOrOp>(a, b);
}
Array logical_xor(const Operand& a, const Operand& b) {
  return apply_ufunc<LogicalXorOp>(a, b);
}
Array logical_not(const Operand& x) { return apply_ufunc<LogicalNotOp>(x); }
Array isnan(const Operand& x) { return apply_ufunc<IsNanOp>(x); }
Array isfinite(const Operand& x) { return apply_ufunc<IsFiniteOp>(x); }

Array where(const Array& condition, const Operand& if_true,
            const Operand& if_false) {
  condition.check_dtype(Dtype::kBool, "where (condition)");
  return apply_ufunc<WhereOp>(Operand(condition), if_true, if_false);
}

namespace {

template <class Op>
const Array& update_in_place(const Array& a, const Operand& b) {
  const Operand target(a);
  const Operand* const operands[] = {&target, &b};
  apply_ufunc<Op>(operands, &a);
  return a;
}

}  // namespace
}  // namespace array

Array operator+(const Operand& a, const Operand& b) { return array::add(a, b); }
Array operator-(const Operand& a, const Operand& b) {
  return array::subtract(a, b);
}
Array operator*(const Operand& a, const Operand& b) {
  return array::multiply(a, b);
}
Array operator/(const Operand& a, const Operand& b) {
  return array::true_divide(a, b);
}
Array operator-(const Array& a) { return array::negative(a); }

const Array& operator+=(const Array& a, const Operand& b) {
  return array::update_in_place<array::AddOp>(a, b);
}
const Array& operator-=(const Array& a, const Operand& b) {
  return array::update_in_place<array::SubtractOp>(a, b);
}
const Array& operator*=(const Array& a, const Operand& b) {
  return array::update_in_place<array::MultiplyOp>(a, b);
}
const Array& operator/=(const Array& a, const Operand& b) {
  return array::update_in_place<array::TrueDivideOp>(a, b);
}

}  // namespace catena
