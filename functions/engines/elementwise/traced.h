#pragma once

#include <type_traits>
#include <utility>

#include "catena/array/core/scalar.h"
#include "catena/autograd/variable.h"

// The operand of gradient functors when the backward pass is recorded: a
// variable or a number, with the operators and the functions of
// array/kernels/math.h that elementwise functors use. Argument-dependent lookup
// finds the functions under the same names as for lanes.
namespace catena::functions {

// The result of a comparison. No gradient flows through it.
class TracedMask {
 public:
  // `dtype` is the dtype of the compared values.
  TracedMask(Array array, Dtype dtype)
      : array_(std::move(array)), dtype_(dtype) {}
  const Array& array() const { return array_; }
  Dtype dtype() const { return dtype_; }

  friend TracedMask operator&&(const TracedMask& a, const TracedMask& b);
  friend TracedMask operator||(const TracedMask& a, const TracedMask& b);
  friend TracedMask operator!(const TracedMask& a);

 private:
  Array array_;
  Dtype dtype_;
};

class Traced {
 public:
  using Lane = Traced;  // functors treat it as they treat lanes

  explicit Traced(Variable variable) : variable_(std::move(variable)) {}
  template <class N>
  requires std::is_arithmetic_v<N>
  explicit Traced(N number) : number_(static_cast<double>(number)) {}

  bool is_number() const { return !variable_.defined(); }
  const Variable& variable() const { return variable_; }
  double number() const { return number_; }

  // This value as a variable of the other's shape and dtype; undefined for the
  // number 0, through which no gradient flows.
  Variable variable_like(const Variable& other) const;

  friend Traced operator+(const Traced& a, const Traced& b);
  friend Traced operator-(const Traced& a, const Traced& b);
  friend Traced operator*(const Traced& a, const Traced& b);
  friend Traced operator/(const Traced& a, const Traced& b);
  friend Traced operator-(const Traced& a);

  friend TracedMask operator<(const Traced& a, const Traced& b);
  friend TracedMask operator<=(const Traced& a, const Traced& b);
  friend TracedMask operator>(const Traced& a, const Traced& b);
  friend TracedMask operator>=(const Traced& a, const Traced& b);
  friend TracedMask operator==(const Traced& a, const Traced& b);
  friend TracedMask operator!=(const Traced& a, const Traced& b);

 private:
  Variable variable_;
  double number_ = 0;
};

Traced lanes_select(const TracedMask& mask, const Traced& a, const Traced& b);
Traced exp(const Traced& x);
Traced log(const Traced& x);
Traced log1p(const Traced& x);
Traced tanh(const Traced& x);
Traced sqrt(const Traced& x);
Traced abs(const Traced& x);
Traced pow(const Traced& x, const Traced& y);
// Step functions, through which no gradient flows.
Traced trunc(const Traced& x);
// Functions whose formula for lanes should not be differentiated.
Traced lanes_sigmoid(const Traced& x);

}  // namespace catena::functions
