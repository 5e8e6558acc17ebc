#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/core/shape.h"

// What type checks compare: terms whose values remember where they came from,
// arithmetic on them, and comparisons.
namespace catena::type_check {

// A number, dtype or shape that remembers where it came from.
struct Term {
  enum class Kind : uint8_t { kNumber, kDtype, kShape };
  enum class Source : uint8_t {
    kConstant,
    kNamed,
    kNdim,
    kShape,
    kExtent,
    kDtype,
    kSize,
    kCount
  };

  Term(int64_t number) : value(number) {}
  Term(int number) : value(number) {}
  Term(Dtype dtype) : kind(Kind::kDtype), value(static_cast<int64_t>(dtype)) {}
  Term(const Shape& shape) : kind(Kind::kShape), shape(&shape) {}

  Kind kind = Kind::kNumber;
  Source source = Source::kConstant;
  int input = 0;
  int axis = 0;
  int64_t value = 0;
  const Shape* shape = nullptr;
  std::string_view name = {};
};

// A number with a name for messages. The name must outlive the check; use
// literals.
inline Term make_variable(int64_t value, std::string_view name) {
  Term term(value);
  term.source = Term::Source::kNamed;
  term.name = name;
  return term;
}

// The result of arithmetic on terms: in.expect(c.shape(1) * 4 == x.shape(1)).
// Division rounds down, as in Python. Without a result (division by 0,
// overflow) every comparison fails.
template <class Left, class Right>
struct Calculation {
  Left left;
  Right right;
  char op;
  int64_t value = 0;
  bool is_valid = true;
};

// Computes a op b; returns false when the result is no int64.
bool calculate(char op, int64_t a, int64_t b, int64_t& result);

// Minus a term.
template <class T>
struct Negation {
  T operand;
  int64_t value = 0;
  bool is_valid = true;
};

// The result of a function of a term; see call().
template <class T>
struct Called {
  std::string_view function;
  T argument;
  int64_t value = 0;
  bool is_valid = true;
};

// Whether a type is a Calculation, Negation or Called.
template <class T>
inline constexpr bool is_calculation = false;
template <class L, class R>
inline constexpr bool is_calculation<Calculation<L, R>> = true;
template <class T>
inline constexpr bool is_calculation<Negation<T>> = true;
template <class T>
inline constexpr bool is_calculation<Called<T>> = true;

// A Term, a Calculation, or a number that becomes a Term.
template <class T>
concept Operand =
    std::is_same_v<T, Term> || is_calculation<T> || std::is_integral_v<T>;
template <class T>
using AsExpression = std::conditional_t<std::is_integral_v<T>, Term, T>;
template <class A, class B>
concept Operands = Operand<A> && Operand<B> &&
    !(std::is_integral_v<A> && std::is_integral_v<B>);
template <class A, class B>
concept CalculatedOperands = Operands<A, B> &&
    (is_calculation<A> || is_calculation<B>);

// Whether a term is a literal, which messages need not explain.
inline bool is_number(const Term& term) {
  return term.kind == Term::Kind::kNumber;
}
template <class T>
requires is_calculation<T>
bool is_number(const T& calculation) { return calculation.is_valid; }

// A term that is calculated from others.
template <class A, class B>
auto make_calculation(char op, const A& a, const B& b) {
  Calculation<AsExpression<A>, AsExpression<B>> result{a, b, op};
  result.is_valid =
      is_number(result.left) && is_number(result.right) &&
      calculate(op, result.left.value, result.right.value, result.value);
  return result;
}

template <class A, class B>
requires Operands<A, B>
auto operator+(const A& a, const B& b) { return make_calculation('+', a, b); }
template <class A, class B>
requires Operands<A, B>
auto operator-(const A& a, const B& b) { return make_calculation('-', a, b); }
template <class A, class B>
requires Operands<A, B>
auto operator*(const A& a, const B& b) { return make_calculation('*', a, b); }
template <class A, class B>
requires Operands<A, B>
auto operator/(const A& a, const B& b) { return make_calculation('/', a, b); }
template <class A, class B>
requires Operands<A, B>
auto operator%(const A& a, const B& b) { return make_calculation('%', a, b); }

// base to the power of exponent, which must not be negative. Messages write it
// as Python does: x.size ** 2.
template <class A, class B>
requires Operands<A, B>
auto pow(const A& base, const B& exponent) {
  return make_calculation('^', base, exponent);
}

template <class A>
requires(Operand<A> && !std::is_integral_v<A>) auto operator-(const A& a) {
  Negation<A> result{a};
  result.is_valid = is_number(a) && calculate('-', 0, a.value, result.value);
  return result;
}

// The number that a function gives for a term's value, a Shape or a number.
// Messages name both:
//
//   in.expect(call("sum", sum_of, x.shape()) == 10);
//
//   Expect: sum(x.shape) == 10
//
// The name must outlive the check; use literals.
template <class Function, class A>
requires(Operand<A> && !std::is_integral_v<A>) auto call(
    std::string_view name, const Function& function, const A& argument) {
  Called<A> result{name, argument};
  if constexpr (std::is_invocable_v<const Function&, const Shape&>) {
    if constexpr (std::is_same_v<A, Term>) {
      result.is_valid = argument.kind == Term::Kind::kShape;
      if (result.is_valid) result.value = function(*argument.shape);
    } else {
      static_assert(std::is_same_v<A, Term>,
                    "call: a function of a Shape needs a shape as argument");
    }
  } else {
    result.is_valid = is_number(argument);
    if (result.is_valid) result.value = function(argument.value);
  }
  return result;
}

// The value of a term. Throws ValueError when it is no number, because it is
// another kind of value, overflows or divides by 0.
int64_t eval(bool is_number, int64_t value);
template <class A>
requires Operand<A> int64_t eval(const A& a) {
  const AsExpression<A> term(a);
  return eval(is_number(term), term.value);
}

// Comparisons of terms.
enum class Comparison : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

// Whether a comparison holds.
bool holds(Comparison comparison, int64_t a, int64_t b);

// A comparison of terms or calculations, and whether it holds.
template <class Left, class Right>
struct BasicCheck {
  Left left;
  Right right;
  Comparison comparison;
  bool ok;
};
// A comparison of two terms, for expect().
using Check = BasicCheck<Term, Term>;

// Compares two terms, for the operators below.
Check compare(const Term& left, const Term& right, Comparison comparison);

// A comparison in which a term is calculated.
template <class A, class B>
auto compare_calculated(const A& a, const B& b, Comparison comparison) {
  BasicCheck<AsExpression<A>, AsExpression<B>> check{a, b, comparison, false};
  check.ok = is_number(check.left) && is_number(check.right) &&
             holds(comparison, check.left.value, check.right.value);
  return check;
}

inline Check operator==(const Term& a, const Term& b) {
  return compare(a, b, Comparison::kEq);
}
inline Check operator!=(const Term& a, const Term& b) {
  return compare(a, b, Comparison::kNe);
}
inline Check operator<(const Term& a, const Term& b) {
  return compare(a, b, Comparison::kLt);
}
inline Check operator<=(const Term& a, const Term& b) {
  return compare(a, b, Comparison::kLe);
}
inline Check operator>(const Term& a, const Term& b) {
  return compare(a, b, Comparison::kGt);
}
inline Check operator>=(const Term& a, const Term& b) {
  return compare(a, b, Comparison::kGe);
}

template <class A, class B>
requires CalculatedOperands<A, B>
auto operator==(const A& a, const B& b) {
  return compare_calculated(a, b, Comparison::kEq);
}
template <class A, class B>
requires CalculatedOperands<A, B>
auto operator!=(const A& a, const B& b) {
  return compare_calculated(a, b, Comparison::kNe);
}
template <class A, class B>
requires CalculatedOperands<A, B>
auto operator<(const A& a, const B& b) {
  return compare_calculated(a, b, Comparison::kLt);
}
template <class A, class B>
requires CalculatedOperands<A, B>
auto operator<=(const A& a, const B& b) {
  return compare_calculated(a, b, Comparison::kLe);
}
template <class A, class B>
requires CalculatedOperands<A, B>
auto operator>(const A& a, const B& b) {
  return compare_calculated(a, b, Comparison::kGt);
}
template <class A, class B>
requires CalculatedOperands<A, B>
auto operator>=(const A& a, const B& b) {
  return compare_calculated(a, b, Comparison::kGe);
}

}  // namespace catena::type_check
