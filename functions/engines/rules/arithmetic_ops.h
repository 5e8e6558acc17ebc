#pragma once

#include <cmath>
#include <string_view>

#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"

// Functors and rules of the arithmetic operators (operators.h) that are not
// ufuncs: operations with numbers, which take the variable's dtype, and
// gradients.
namespace catena::functions {

// Operations of a variable x and a number c.
struct Number {
  double c;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("number", c);
  }
};

struct AddNumberOp : Number {
  static constexpr std::string_view kName = "add a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return x + T(c);
  }
};

struct SubtractFromNumberOp : Number {
  static constexpr std::string_view kName = "subtract from a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return T(c) - x;
  }
};

struct MultiplyNumberOp : Number {
  static constexpr std::string_view kName = "multiply by a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return x * T(c);
  }
};

struct DivideByNumberOp : Number {
  static constexpr std::string_view kName = "divide by a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return x / T(c);
  }
};

struct DivideNumberOp : Number {
  static constexpr std::string_view kName = "divide a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return T(c) / x;
  }
};

// y = c / x, with c in y.
struct DivideNumberGradient {
  static constexpr std::string_view kName = "gradient of dividing a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T y, T gy) const {
    return -gy * y / x;
  }
};

// y = x0 / x1.
struct NumeratorGradient {
  static constexpr std::string_view kName = "gradient of division";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x1, T gy) const {
    return gy / x1;
  }
};
struct DenominatorGradient {
  static constexpr std::string_view kName = "gradient of division";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return -gy * x0 / (x1 * x1);
  }
};

// x to the power of c. Common exponents avoid pow.
template <class T>
CATENA_HOST_DEVICE T power_of_number(T x, double c) {
  if (c == 2) return x * x;
  if (c == 1) return x;
  if (c == 3) return x * x * x;
  if (c == 0.5) return math::sqrt(x);
  if (c == -1) return T(1) / x;
  return math::pow(x, T(c));
}

struct PowerNumberOp : Number {
  static constexpr std::string_view kName = "power with a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return power_of_number(x, c);
  }
};
struct PowerNumberGradient : Number {
  static constexpr std::string_view kName = "gradient of power with a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    if (c == 0) return gy * T(0);  // even where x is 0
    return T(c) * power_of_number(x, c - 1) * gy;
  }
};

struct NumberPowerOp : Number {
  static constexpr std::string_view kName = "power of a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::pow(T(c), x);
  }
};
struct NumberPowerGradient : Number {
  static constexpr std::string_view kName = "gradient of power of a number";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return y * T(std::log(c)) * gy;
  }
};

// y = x0^x1. Where x0 is 0 the exponent gets no gradient.
struct PowerBaseGradient {
  static constexpr std::string_view kName = "gradient of power";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return x1 * math::pow(x0, x1 - T(1)) * gy;
  }
};
struct PowerExponentGradient {
  static constexpr std::string_view kName = "gradient of power";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T y, T gy) const {
    return math::select(x0 == T(0), T(0), math::log(x0) * y * gy);
  }
};

// The names of an operator's operands in type checks.
struct Operator {
  static constexpr std::string_view kInputNames[] = {"lhs", "rhs"};
};

struct Add : Operator {
  static constexpr std::string_view kLabel = "_ + _";
  using Forward = array::AddOp;
  using Gradients = TypeList<PassesThrough, PassesThrough>;
};
struct AddNumber {
  static constexpr std::string_view kLabel = "_ + number";
  using Params = Number;
  using Forward = AddNumberOp;
  using Gradients = TypeList<PassesThrough>;
};

struct Subtract : Operator {
  static constexpr std::string_view kLabel = "_ - _";
  using Forward = array::SubtractOp;
  using Gradients = TypeList<PassesThrough, On<array::NegativeOp>>;
};
struct SubtractFromNumber {
  static constexpr std::string_view kLabel = "number - _";
  using Params = Number;
  using Forward = SubtractFromNumberOp;
  using Gradients = TypeList<On<array::NegativeOp>>;
};

struct Multiply : Operator {
  static constexpr std::string_view kLabel = "_ * _";
  using Forward = array::MultiplyOp;
  using Gradients =
      TypeList<On<array::MultiplyOp, X1>, On<array::MultiplyOp, X0>>;
};
struct MultiplyNumber {
  static constexpr std::string_view kLabel = "_ * number";
  using Params = Number;
  using Forward = MultiplyNumberOp;
  using Gradients = TypeList<On<MultiplyNumberOp>>;
};

struct Divide : Operator {
  static constexpr std::string_view kLabel = "_ / _";
  using Forward = array::TrueDivideOp;
  using Gradients =
      TypeList<On<NumeratorGradient, X1>, On<DenominatorGradient, X0, X1>>;
};
struct DivideByNumber {
  static constexpr std::string_view kLabel = "_ / number";
  using Params = Number;
  using Forward = DivideByNumberOp;
  using Gradients = TypeList<On<DivideByNumberOp>>;
};
struct DivideNumber {
  static constexpr std::string_view kLabel = "number / _";
  using Params = Number;
  using Forward = DivideNumberOp;
  using Gradients = TypeList<On<DivideNumberGradient, X0, Y>>;
};

struct FloorDivide : Operator {
  static constexpr std::string_view kLabel = "_ // _";
  using Forward = array::FloorDivideOp;
  using Gradients = TypeList<NoGradient, NoGradient>;
};

struct Power : Operator {
  static constexpr std::string_view kLabel = "_ ** _";
  using Forward = array::PowerOp;
  using Gradients =
      TypeList<On<PowerBaseGradient, X0, X1>, On<PowerExponentGradient, X0, Y>>;
};
struct PowerNumber {
  static constexpr std::string_view kLabel = "_ ** number";
  using Params = Number;
  using Forward = PowerNumberOp;
  using Gradients = TypeList<On<PowerNumberGradient, X0>>;
};
struct NumberPower {
  static constexpr std::string_view kLabel = "number ** _";
  using Params = Number;
  using Forward = NumberPowerOp;
  using Gradients = TypeList<On<NumberPowerGradient, Y>>;
};

struct Negative {
  static constexpr std::string_view kLabel = "-_";
  using Forward = array::NegativeOp;
  using Gradients = TypeList<On<array::NegativeOp>>;
};

// |x|; the gradient at 0 is 0.
struct AbsoluteGradient {
  static constexpr std::string_view kName = "gradient of absolute";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return math::select(x > T(0), gy, math::select(x < T(0), -gy, T(0)));
  }
};
struct Absolute {
  static constexpr std::string_view kLabel = "absolute";
  using Forward = array::AbsoluteOp;
  using Gradients = TypeList<On<AbsoluteGradient, X0>>;
};

// Every rule above, for the kernels.
using ArithmeticRules =
    TypeList<Add, AddNumber, Subtract, SubtractFromNumber, Multiply,
             MultiplyNumber, Divide, DivideByNumber, DivideNumber, FloorDivide,
             Power, PowerNumber, NumberPower, Negative, Absolute>;

}  // namespace catena::functions
