#include "catena/functions/engines/elementwise/traced.h"

#include <cmath>

#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/activation_ops.h"
#include "catena/functions/engines/rules/arithmetic_ops.h"
#include "catena/functions/engines/rules/exponential_ops.h"
#include "catena/functions/internal/where_node.h"

namespace catena::functions {
namespace {

// A rule on two variables, or the rules that take one of them as a number.
template <class Rule, class NumberLeft, class NumberRight>
Traced binary(const Traced& a, const Traced& b,
              double (*of_numbers)(double, double)) {
  if (a.is_number() && b.is_number()) {
    return Traced(of_numbers(a.number(), b.number()));
  }
  if (a.is_number()) {
    return Traced(elementwise<NumberLeft>({a.number()}, b.variable()));
  }
  if (b.is_number()) {
    return Traced(elementwise<NumberRight>({b.number()}, a.variable()));
  }
  return Traced(elementwise<Rule>(a.variable(), b.variable()));
}

Operand operand(const Traced& x) {
  return x.is_number() ? Operand(x.number()) : Operand(x.variable().data());
}

TracedMask compare(const array::BinaryUfunc& comparison, const Traced& a,
                   const Traced& b) {
  const Traced& any = a.is_number() ? b : a;
  return TracedMask(comparison(operand(a), operand(b)),
                    any.is_number() ? Dtype::kFloat64 : any.variable().dtype());
}

}  // namespace

TracedMask operator&&(const TracedMask& a, const TracedMask& b) {
  return TracedMask(array::logical_and(a.array_, b.array_), a.dtype_);
}
TracedMask operator||(const TracedMask& a, const TracedMask& b) {
  return TracedMask(array::logical_or(a.array_, b.array_), a.dtype_);
}
TracedMask operator!(const TracedMask& a) {
  return TracedMask(array::logical_not(a.array_), a.dtype_);
}

Variable Traced::variable_like(const Variable& other) const {
  if (!is_number() || number_ == 0) return variable_;
  return as_variable(array::full_like(other.data(), number_));
}

Traced operator+(const Traced& a, const Traced& b) {
  return binary<Add, AddNumber, AddNumber>(
      a, b, [](double x, double y) { return x + y; });
}
Traced operator-(const Traced& a, const Traced& b) {
  if (b.is_number()) return a + Traced(-b.number());
  return binary<Subtract, SubtractFromNumber, AddNumber>(a, b, nullptr);
}
Traced operator*(const Traced& a, const Traced& b) {
  return binary<Multiply, MultiplyNumber, MultiplyNumber>(
      a, b, [](double x, double y) { return x * y; });
}
Traced operator/(const Traced& a, const Traced& b) {
  return binary<Divide, DivideNumber, DivideByNumber>(
      a, b, [](double x, double y) { return x / y; });
}
Traced operator-(const Traced& a) { return trace<Negative>(a); }

TracedMask operator<(const Traced& a, const Traced& b) {
  return compare(array::less, a, b);
}
TracedMask operator<=(const Traced& a, const Traced& b) {
  return compare(array::less_equal, a, b);
}
TracedMask operator>(const Traced& a, const Traced& b) {
  return compare(array::greater, a, b);
}
TracedMask operator>=(const Traced& a, const Traced& b) {
  return compare(array::greater_equal, a, b);
}
TracedMask operator==(const Traced& a, const Traced& b) {
  return compare(array::equal, a, b);
}
TracedMask operator!=(const Traced& a, const Traced& b) {
  return compare(array::not_equal, a, b);
}

Traced lanes_select(const TracedMask& mask, const Traced& a, const Traced& b) {
  const Array& where_a = mask.array();
  if (a.is_number() && b.is_number()) {
    const auto constant = [&](double value) {
      return array::full({}, value, mask.dtype(), where_a.device());
    };
    return Traced(as_variable(
        array::where(where_a, constant(a.number()), constant(b.number()))));
  }
  using Values = Where::Values;
  if (a.is_number()) {
    return Traced(
        apply<Where>({b.variable()}, where_a, Values::kSecond, a.number()));
  }
  if (b.is_number()) {
    return Traced(
        apply<Where>({a.variable()}, where_a, Values::kFirst, b.number()));
  }
  return Traced(
      apply<Where>({a.variable(), b.variable()}, where_a, Values::kBoth));
}

Traced exp(const Traced& x) { return trace<Exp>(x); }
Traced log(const Traced& x) { return trace<Log>(x); }
Traced log1p(const Traced& x) { return trace<Log1p>(x); }
Traced tanh(const Traced& x) { return trace<Tanh>(x); }
Traced sqrt(const Traced& x) { return trace<Sqrt>(x); }
Traced abs(const Traced& x) { return trace<Absolute>(x); }
Traced lanes_sigmoid(const Traced& x) { return trace<Sigmoid>(x); }
Traced pow(const Traced& x, const Traced& y) {
  return binary<Power, NumberPower, PowerNumber>(x, y, std::pow);
}
Traced trunc(const Traced& x) {
  if (x.is_number()) return Traced(std::trunc(x.number()));
  return Traced(as_variable(array::trunc(x.variable().data())));
}

}  // namespace catena::functions
