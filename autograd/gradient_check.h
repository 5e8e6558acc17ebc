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

// Checks of the gradients that functions compute against numerical ones. All
// of them throw GradientError with the inputs, the expected and the actual
// values and the largest error.
namespace catena::gradient_check {

namespace internal {

template <class F, size_t... i>
constexpr bool takes_variables(std::index_sequence<i...>) {
  return std::invocable<
      const F&, decltype((void(i), std::declval<const Variable&>()))...>;
}

// How many Variables F takes.
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

// The function under test: a callable that takes its inputs one by one or all
// as const Variables&, and returns a Variable, or a range or tuple of them:
//
//   [](const Variable& x, const Variable& W) { return F::linear(x, W); }
//
// A function of several signatures or with default arguments needs a lambda.
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
  // See NumericalGradOptions.
  double eps = 1e-3;
  // An element passes when |actual - expected| <= atol + rtol * |expected|.
  // 1e-5 and 1e-4 unless set, for check_double_backward 1e-4 and 1e-3.
  std::optional<double> atol = std::nullopt;
  std::optional<double> rtol = std::nullopt;
  // For each input of x_data, whether it must get no gradient. Those that are
  // not floating get none anyhow.
  std::vector<bool> no_grads = {};
  // Where given, the numerical gradients are computed in this dtype, of casts
  // of all inputs and parameters: float64 for functions checked in float16 or
  // float32.
  std::optional<Dtype> dtype = std::nullopt;
  bool detect_nondifferentiable = false;
  double diff_atol = 0;
  double diff_rtol = 1e-2;
  // Up to this many elements, of all inputs and parameters together, every
  // partial derivative is compared; above, derivatives along random directions.
  int64_t max_elements = 1000;
  int directions = 8;
  uint64_t seed = 0;
};

// Compares the gradients of sum(y_grad * func(x_data)) with respect to x_data
// and params, as backward computes them, with numerical ones. A gradient that
// backward leaves out counts as zero. An undefined y_grad leaves its output
// out; without any y_grad func must return one output with one element. func
// may use params besides its inputs. Checks also that neither x_data nor
// y_grad is changed.
//
//   check_backward(F::tanh, {x}, {gy});
//   check_backward([&](const Variable& x) { return F::linear(x, W, b); },
//                  {x}, {gy}, {W, b}, {.dtype = Dtype::kFloat64});
void check_backward(const VariableFunction& func,
                    const std::vector<Array>& x_data,
                    const std::vector<Array>& y_grad = {},
                    const std::vector<Parameter>& params = {},
                    const CheckOptions& options = {});

// Does the same for the gradients of the gradients, as functions of x_data and
// y_grad: x_grad_grad and params_grad_grad are what flows back to the first
// gradients of x_data and params. They are undefined for inputs without
// gradient. Finds what check_backward can't see: a backward computed on plain
// arrays, which differentiates to nothing.
void check_double_backward(const VariableFunction& func,
                           const std::vector<Array>& x_data,
                           const std::vector<Array>& y_grad,
                           const std::vector<Array>& x_grad_grad,
                           const std::vector<Parameter>& params = {},
                           const std::vector<Array>& params_grad_grad = {},
                           const CheckOptions& options = {});

struct AllcloseOptions {
  double atol = 1e-5;
  double rtol = 1e-4;
};

// Throws unless the shapes are the same and |x - y| <= atol + rtol * |y|
// everywhere; NaN is close to NaN and an infinity to itself.
void assert_allclose(const Array& x, const Array& y,
                     const AllcloseOptions& options = {});

}  // namespace catena::gradient_check
