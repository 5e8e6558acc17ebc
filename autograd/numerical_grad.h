#pragma once

#include <concepts>
#include <functional>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/autograd/variable.h"

// Derivatives by finite differences, for checking computed gradients.
namespace catena::gradient_check {

namespace internal {

// Appends the result of a user's function: a T, or a range or tuple of T.
template <class T, class Result>
void append_results(absl::InlinedVector<T, 2>& list, const Result& result) {
  if constexpr (std::convertible_to<const Result&, const T&>) {
    list.push_back(result);
  } else if constexpr (std::ranges::range<Result>) {
    for (const T& item : result) list.push_back(item);
  } else {
    std::apply([&](const auto&... items) { (list.push_back(items), ...); },
               result);
  }
}

}  // namespace internal

// A callable without arguments that returns an Array, or a range or tuple of
// Arrays; it must capture its inputs.
class ArrayFunction {
 public:
  template <class F>
  requires std::invocable<const F&> ArrayFunction(F function)
      : call_([function = std::move(function)] {
          Arrays results;
          internal::append_results(results, function());
          return results;
        }) {}

  Arrays operator()() const { return call_(); }

 private:
  std::function<Arrays()> call_;
};

struct NumericalGradOptions {
  NamedFieldsOnly keywords = {};
  // The step to either side of each element.
  double eps = 1e-3;
  // Throws NondifferentiableError when f has a kink like |x| within eps of an
  // input: when its values at -eps, -eps/2, 0, eps/2 and eps deviate from a
  // parabola by more than diff_atol + diff_rtol times their range.
  bool detect_nondifferentiable = false;
  double diff_atol = 0;
  double diff_rtol = 1e-2;
  // What f returns for the inputs as they are, if that is known: then
  // detect_nondifferentiable does not compute it once more per element.
  std::vector<Array> center_outputs = {};
};

// A function has no derivative at the point where it was to be checked.
class NondifferentiableError : public Error {
 public:
  using Error::Error;
};

// The gradients of sum(grad_outputs[i] * f()[i]) with respect to the inputs, by
// central differences: (f(x + eps) - f(x - eps)) / (2 eps) element by element.
// An undefined grad_output ignores its output; an input that is not floating
// gets an undefined gradient. f must read the inputs' memory: elements are
// changed in place, and restored even when f throws. Throws ValueError unless
// there are as many grad_outputs as outputs (and center_outputs, if any),
// ShapeError unless their shapes match, and ValueError when eps is lost in
// rounding against an element.
std::vector<Array> numerical_grad(const ArrayFunction& f,
                                  const std::vector<Array>& inputs,
                                  const std::vector<Array>& grad_outputs,
                                  const NumericalGradOptions& options = {});

// The directional derivative of the same sum: input i moves along
// directions[i], which has its shape, dtype and device, or is undefined for a
// fixed input.
double numerical_derivative(const ArrayFunction& f,
                            const std::vector<Array>& inputs,
                            const std::vector<Array>& directions,
                            const std::vector<Array>& grad_outputs,
                            const NumericalGradOptions& options = {});

// The elements in C order, copied to the host.
std::vector<double> to_doubles(const Array& a);

}  // namespace catena::gradient_check
