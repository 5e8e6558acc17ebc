#include "catena/functions/math/operators.h"

#include "catena/array/creation.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/arithmetic_ops.h"

namespace catena {

using functions::elementwise;
using functions::Number;

namespace {

Number number(Scalar value) { return {value.as<double>()}; }

}  // namespace

Variable operator+(VariableRef lhs, VariableRef rhs) {
  return elementwise<functions::Add>(*lhs, *rhs);
}
Variable operator+(VariableRef lhs, const Array& rhs) {
  return lhs + as_variable(rhs);
}
Variable operator+(const Array& lhs, VariableRef rhs) {
  return as_variable(lhs) + rhs;
}
Variable operator+(VariableRef lhs, Scalar rhs) {
  return elementwise<functions::AddNumber>(number(rhs), *lhs);
}
Variable operator+(Scalar lhs, VariableRef rhs) { return rhs + lhs; }

Variable operator-(VariableRef lhs, VariableRef rhs) {
  return elementwise<functions::Subtract>(*lhs, *rhs);
}
Variable operator-(VariableRef lhs, const Array& rhs) {
  return lhs - as_variable(rhs);
}
Variable operator-(const Array& lhs, VariableRef rhs) {
  return as_variable(lhs) - rhs;
}
Variable operator-(VariableRef lhs, Scalar rhs) {
  return elementwise<functions::AddNumber>(Number{-number(rhs).c}, *lhs);
}
Variable operator-(Scalar lhs, VariableRef rhs) {
  return elementwise<functions::SubtractFromNumber>(number(lhs), *rhs);
}

Variable operator*(VariableRef lhs, VariableRef rhs) {
  return elementwise<functions::Multiply>(*lhs, *rhs);
}
Variable operator*(VariableRef lhs, const Array& rhs) {
  return lhs * as_variable(rhs);
}
Variable operator*(const Array& lhs, VariableRef rhs) {
  return as_variable(lhs) * rhs;
}
Variable operator*(VariableRef lhs, Scalar rhs) {
  return elementwise<functions::MultiplyNumber>(number(rhs), *lhs);
}
Variable operator*(Scalar lhs, VariableRef rhs) { return rhs * lhs; }

Variable operator/(VariableRef lhs, VariableRef rhs) {
  return elementwise<functions::Divide>(*lhs, *rhs);
}
Variable operator/(VariableRef lhs, const Array& rhs) {
  return lhs / as_variable(rhs);
}
Variable operator/(const Array& lhs, VariableRef rhs) {
  return as_variable(lhs) / rhs;
}
Variable operator/(VariableRef lhs, Scalar rhs) {
  return elementwise<functions::DivideByNumber>(number(rhs), *lhs);
}
Variable operator/(Scalar lhs, VariableRef rhs) {
  return elementwise<functions::DivideNumber>(number(lhs), *rhs);
}

Variable operator-(VariableRef x) {
  return elementwise<functions::Negative>(*x);
}

Variable pow(VariableRef lhs, VariableRef rhs) {
  return elementwise<functions::Power>(*lhs, *rhs);
}
Variable pow(VariableRef lhs, const Array& rhs) {
  return pow(lhs, as_variable(rhs));
}
Variable pow(const Array& lhs, VariableRef rhs) {
  return pow(as_variable(lhs), rhs);
}
Variable pow(VariableRef lhs, Scalar rhs) {
  return elementwise<functions::PowerNumber>(number(rhs), *lhs);
}
Variable pow(Scalar lhs, VariableRef rhs) {
  return elementwise<functions::NumberPower>(number(lhs), *rhs);
}

namespace {

// The number as an array that broadcasts against x.
Array constant_for(const Variable& x, Scalar value) {
  return array::full({}, value, x.dtype(), x.device());
}

}  // namespace

Variable floordiv(VariableRef lhs, VariableRef rhs) {
  return elementwise<functions::FloorDivide>(*lhs, *rhs);
}
Variable floordiv(VariableRef lhs, const Array& rhs) {
  return floordiv(lhs, as_variable(rhs));
}
Variable floordiv(const Array& lhs, VariableRef rhs) {
  return floordiv(as_variable(lhs), rhs);
}
Variable floordiv(VariableRef lhs, Scalar rhs) {
  return floordiv(lhs, constant_for(lhs, rhs));
}
Variable floordiv(Scalar lhs, VariableRef rhs) {
  return floordiv(constant_for(rhs, lhs), rhs);
}

Variable abs(VariableRef x) { return elementwise<functions::Absolute>(*x); }

}  // namespace catena
