#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/autograd/numerical_grad.h"
#include "catena/autograd/parameter.h"
#include "catena/autograd/variable.h"

// Checks computed gradients against numerical ones. On a mismatch, all checks
// throw GradientError with the inputs, the expected and actual values and the
// largest error.
namespace catena::gradient_check {

namespace internal {

template <class F, size_t... i>
constexpr bool takes_variables(std::index_sequence<i...>) {
  return std::invocable<
      const F&, decltype((void(i), std::declval<const Variable&>()))...>;
}

// The number of Variables that F takes.
template <class F, size_t n = 1>
constexpr size_t count_variables() {
  static_assert(n <= 8,
                "expected a callable that takes up to 8 Variables, or all of "
                "them as const Variables&");
  if constexpr (takes_variables<F>(std::make_index_sequence<n>{})) {
    return n;
  } else if constexpr (n == 1 && std::invocable<const F&>) {
    return 0;
  } else {
    return count_variables<F, n + 1>();
  }
}

}  // namespace internal

// The function under test: a callable that takes its inputs as separate
// arguments or as one const Variables&, and returns a Variable, or a range or
// tuple of Variables:
//
//   [](const Variable& x, const Variable& W) { return F::linear(x, W); }
//
// Wrap overloaded functions and default arguments in a lambda.
class VariableFunction {
 public:
  template <class F>
  requires(!std::same_as<F, VariableFunction>) VariableFunction(F function)
      : call_([function = std::move(function)](const Variables& inputs) {
          Variables outputs;
          if constexpr (std::invocable<const F&, const Variables&>) {
            internal::append_results(outputs, function(inputs));
          } else {
            constexpr size_t kCount = internal::count_variables<F>();
            check_count(inputs.size(), kCount);
            [&]<size_t... i>(std::index_sequence<i...>) {
              internal::append_results(outputs, function(inputs[i]...));
            }
            (std::make_index_sequence<kCount>{});
          }
          return outputs;
        }) {}

  Variables operator()(const Variables& inputs) const { return call_(inputs); }

 private:
  static void check_count(size_t given, size_t expected);

  std::function<Variables(const Variables&)> call_;
};

struct CheckOptions {
  NamedFieldsOnly keywords = {};
  // See NumericalGradOptions.
  double eps = 1e-3;
  // An element passes when |actual - expected| <= atol + rtol * |expected|.
  // Defaults to 1e-5 and 1e-4; in check_double_backward to 1e-4 and 1e-3.
  std::optional<double> atol = std::nullopt;
  std::optional<double> rtol = std::nullopt;
  // For each input in x_data, whether it must get no gradient. Inputs that are
  // not floating never get one.
  std::vector<bool> no_grads = {};
  // If set, numerical gradients are computed in this dtype, with all inputs and
  // parameters cast to it: use float64 when checking in float16 or float32.
  std::optional<Dtype> dtype = std::nullopt;
  bool detect_nondifferentiable = false;
  double diff_atol = 0;
  double diff_rtol = 1e-2;
  // With up to this many elements in all inputs and parameters, every partial
  // derivative is compared; with more, derivatives along random directions.
  int64_t max_elements = 1000;
  int directions = 8;
  uint64_t seed = 0;
};

// Compares the gradients of sum(y_grad * func(x_data)) with respect to x_data
// and params, as backward computes them, with numerical ones. A missing
// gradient counts as zero. An undefined y_grad ignores its output; without any
// y_grad, func must return one output with one element. func may use params in
// addition to its inputs. Also checks that x_data and y_grad are unchanged.
//
//   check_backward(F::tanh, {x}, {gy});
//   check_backward([&](const Variable& x) { return F::linear(x, W, b); },
//                  {x}, {gy}, {W, b}, {.dtype = Dtype::kFloat64});
void check_backward(const VariableFunction& func,
                    const std::vector<Array>& x_data,
                    const std::vector<Array>& y_grad = {},
                    const std::vector<Parameter>& params = {},
                    const CheckOptions& options = {});

// Compares second-order gradients, taking the first-order gradients as
// functions of x_data and y_grad. x_grad_grad and params_grad_grad are the
// output gradients for the gradients of x_data and params; undefined for inputs
// without a gradient. Catches what check_backward cannot: a backward computed
// on plain arrays, through which no gradient flows.
void check_double_backward(const VariableFunction& func,
                           const std::vector<Array>& x_data,
                           const std::vector<Array>& y_grad,
                           const std::vector<Array>& x_grad_grad,
                           const std::vector<Parameter>& params = {},
                           const std::vector<Array>& params_grad_grad = {},
                           const CheckOptions& options = {});

struct AllcloseOptions {
  NamedFieldsOnly keywords = {};
  double atol = 1e-5;
  double rtol = 1e-4;
  // Whether the message shows both arrays, besides the largest differences.
  bool verbose = true;
};

// Throws unless the shapes are equal and |x - y| <= atol + rtol * |y|
// everywhere; NaN is close to NaN, and an infinity to itself.
void assert_allclose(const Array& x, const Array& y,
                     const AllcloseOptions& options = {});

}  // namespace catena::gradient_check
