#include "catena/array/ufunc/ufunc.h"

#include "catena/array/core/error.h"
#include "catena/array/ufunc/ufunc_traits.h"

namespace catena {
namespace array {
namespace {

using Check = void (*)(OperandList);

void refuse_negative_exponent(OperandList operands) {
  const Operand& a = *operands[0];
  const Operand& b = *operands[1];
  if (!b.is_array() && b.scalar().kind() == DtypeKind::kInt &&
      b.scalar().as<int64_t>() < 0 && a.is_array() &&
      !is_floating(a.array().dtype())) {
    raise<ValueError>(
        "power: expected an exponent of at least 0 for integers, got ",
        b.scalar());
  }
}

template <class Op>
constexpr Check kCheck = nullptr;
template <>
constexpr Check kCheck<PowerOp> = refuse_negative_exponent;

}  // namespace

template <class Op>
constinit const UfuncTraits UfuncOf<Op>::traits =
    ufunc_traits<RowOf<Op>>(kCheck<Op>);

// Refers to the traits of every row, which instantiates them; the linker keeps
// those that a program uses.
template <class... Rows>
constexpr auto traits_of(TypeList<Rows...>) {
  return std::array{&UfuncOf<typename Rows::Op>::traits...};
}
extern const std::array kUfuncTraits = traits_of(UfuncTable());

namespace {

template <class Op>
const Array& update(const Array& a, const Operand& b) {
  const Operand target(a);
  const Operand* const operands[] = {&target, &b};
  Array result = a;
  call_ufunc(UfuncOf<Op>::traits, operands, {&result, 1});
  return a;
}

}  // namespace

Array where(const Array& condition, const Operand& if_true,
            const Operand& if_false) {
  static constexpr TernaryUfunc kWhere(UfuncOf<WhereOp>::traits);
  return kWhere(
      condition.dtype() == Dtype::kBool ? condition : not_equal(condition, 0),
      if_true, if_false);
}

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
Array operator%(const Operand& a, const Operand& b) {
  return array::remainder(a, b);
}
Array operator&(const Operand& a, const Operand& b) {
  return array::bitwise_and(a, b);
}
Array operator|(const Operand& a, const Operand& b) {
  return array::bitwise_or(a, b);
}
Array operator^(const Operand& a, const Operand& b) {
  return array::bitwise_xor(a, b);
}
Array operator<<(const Operand& a, const Operand& b) {
  return array::left_shift(a, b);
}
Array operator>>(const Operand& a, const Operand& b) {
  return array::right_shift(a, b);
}
Array operator+(const Array& a) { return array::positive(a); }
Array operator-(const Array& a) { return array::negative(a); }
Array operator~(const Array& a) { return array::invert(a); }

const Array& operator+=(const Array& a, const Operand& b) {
  return array::update<array::AddOp>(a, b);
}
const Array& operator-=(const Array& a, const Operand& b) {
  return array::update<array::SubtractOp>(a, b);
}
const Array& operator*=(const Array& a, const Operand& b) {
  return array::update<array::MultiplyOp>(a, b);
}
const Array& operator/=(const Array& a, const Operand& b) {
  return array::update<array::TrueDivideOp>(a, b);
}
const Array& operator%=(const Array& a, const Operand& b) {
  return array::update<array::RemainderOp>(a, b);
}
const Array& operator&=(const Array& a, const Operand& b) {
  return array::update<array::BitwiseAndOp>(a, b);
}
const Array& operator|=(const Array& a, const Operand& b) {
  return array::update<array::BitwiseOrOp>(a, b);
}
const Array& operator^=(const Array& a, const Operand& b) {
  return array::update<array::BitwiseXorOp>(a, b);
}
const Array& operator<<=(const Array& a, const Operand& b) {
  return array::update<array::LeftShiftOp>(a, b);
}
const Array& operator>>=(const Array& a, const Operand& b) {
  return array::update<array::RightShiftOp>(a, b);
}

}  // namespace catena
