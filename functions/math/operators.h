#pragma once

#include <concepts>

#include "catena/array/core/scalar.h"
#include "catena/autograd/variable.h"

// Arithmetic operators on variables, in namespace catena so that
// argument-dependent lookup finds them. Operands are variables, arrays (which
// count as constants) and numbers; they broadcast. Variables and arrays must
// have the same floating dtype, else InvalidType; a number takes the dtype of
// the other operand. There are no comparisons: compare data().
//
// A VariableRef refers only to a variable: with a const Variable&, to which
// arrays convert, array + array would be ambiguous.
namespace catena {

Variable operator+(VariableRef lhs, VariableRef rhs);
Variable operator+(VariableRef lhs, const Array& rhs);
Variable operator+(const Array& lhs, VariableRef rhs);
Variable operator+(VariableRef lhs, Scalar rhs);
Variable operator+(Scalar lhs, VariableRef rhs);

Variable operator-(VariableRef lhs, VariableRef rhs);
Variable operator-(VariableRef lhs, const Array& rhs);
Variable operator-(const Array& lhs, VariableRef rhs);
Variable operator-(VariableRef lhs, Scalar rhs);
Variable operator-(Scalar lhs, VariableRef rhs);

Variable operator*(VariableRef lhs, VariableRef rhs);
Variable operator*(VariableRef lhs, const Array& rhs);
Variable operator*(const Array& lhs, VariableRef rhs);
Variable operator*(VariableRef lhs, Scalar rhs);
Variable operator*(Scalar lhs, VariableRef rhs);

Variable operator/(VariableRef lhs, VariableRef rhs);
Variable operator/(VariableRef lhs, const Array& rhs);
Variable operator/(const Array& lhs, VariableRef rhs);
Variable operator/(VariableRef lhs, Scalar rhs);
Variable operator/(Scalar lhs, VariableRef rhs);

Variable operator-(VariableRef x);

// lhs to the power of rhs, Python's **. The gradient of the exponent is 0 where
// the base is 0.
Variable pow(VariableRef lhs, VariableRef rhs);
Variable pow(VariableRef lhs, const Array& rhs);
Variable pow(const Array& lhs, VariableRef rhs);
Variable pow(VariableRef lhs, Scalar rhs);
Variable pow(Scalar lhs, VariableRef rhs);

// lhs / rhs rounded down, Python's //. No gradient flows.
Variable floordiv(VariableRef lhs, VariableRef rhs);
Variable floordiv(VariableRef lhs, const Array& rhs);
Variable floordiv(const Array& lhs, VariableRef rhs);
Variable floordiv(VariableRef lhs, Scalar rhs);
Variable floordiv(Scalar lhs, VariableRef rhs);

// The absolute value |x|. The gradient at 0 is 0.
Variable abs(VariableRef x);

// a += b rebinds `a` to the new variable a + b; the old array and other handles
// of the old variable are not changed.
template <std::same_as<Variable> V, class Rhs>
V& operator+=(V& lhs, const Rhs& rhs) {
  return lhs = lhs + rhs;
}
template <std::same_as<Variable> V, class Rhs>
V& operator-=(V& lhs, const Rhs& rhs) {
  return lhs = lhs - rhs;
}
template <std::same_as<Variable> V, class Rhs>
V& operator*=(V& lhs, const Rhs& rhs) {
  return lhs = lhs * rhs;
}
template <std::same_as<Variable> V, class Rhs>
V& operator/=(V& lhs, const Rhs& rhs) {
  return lhs = lhs / rhs;
}

}  // namespace catena
