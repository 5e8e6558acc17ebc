#pragma once

#include <concepts>

#include "catena/array/scalar.h"
#include "catena/autograd/variable.h"

// Arithmetic on variables, found wherever a Variable is (its namespace is
// catena). Operands are variables, arrays, which count as constants, and
// numbers; they broadcast. Variables and arrays must be floating and of one
// dtype, else InvalidType; a number takes the dtype of the other operand, and
// never widens it. Comparisons are not offered: compare data().
namespace catena {

Variable operator+(const Variable& lhs, const Variable& rhs);
Variable operator+(const Variable& lhs, const Array& rhs);
Variable operator+(const Array& lhs, const Variable& rhs);
Variable operator+(const Variable& lhs, Scalar rhs);
Variable operator+(Scalar lhs, const Variable& rhs);

Variable operator-(const Variable& lhs, const Variable& rhs);
Variable operator-(const Variable& lhs, const Array& rhs);
Variable operator-(const Array& lhs, const Variable& rhs);
Variable operator-(const Variable& lhs, Scalar rhs);
Variable operator-(Scalar lhs, const Variable& rhs);

Variable operator*(const Variable& lhs, const Variable& rhs);
Variable operator*(const Variable& lhs, const Array& rhs);
Variable operator*(const Array& lhs, const Variable& rhs);
Variable operator*(const Variable& lhs, Scalar rhs);
Variable operator*(Scalar lhs, const Variable& rhs);

Variable operator/(const Variable& lhs, const Variable& rhs);
Variable operator/(const Variable& lhs, const Array& rhs);
Variable operator/(const Array& lhs, const Variable& rhs);
Variable operator/(const Variable& lhs, Scalar rhs);
Variable operator/(Scalar lhs, const Variable& rhs);

Variable operator-(const Variable& x);

// lhs to the power rhs, Python's **. The gradient of the exponent is 0 where
// the base is 0.
Variable pow(const Variable& lhs, const Variable& rhs);
Variable pow(const Variable& lhs, const Array& rhs);
Variable pow(const Array& lhs, const Variable& rhs);
Variable pow(const Variable& lhs, Scalar rhs);
Variable pow(Scalar lhs, const Variable& rhs);

// lhs / rhs rounded down, Python's //. No gradient flows.
Variable floordiv(const Variable& lhs, const Variable& rhs);
Variable floordiv(const Variable& lhs, const Array& rhs);
Variable floordiv(const Array& lhs, const Variable& rhs);
Variable floordiv(const Variable& lhs, Scalar rhs);
Variable floordiv(Scalar lhs, const Variable& rhs);

// |x|. The gradient at 0 is 0.
Variable abs(const Variable& x);

// a += b makes `a` another variable, a + b; the array is not changed, and other
// handles of the old variable stay as they are.
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
