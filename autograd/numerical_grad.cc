#include "catena/autograd/numerical_grad.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "catena/array/aliasing.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::gradient_check {
namespace {

// The concatenated elements of all outputs that have a grad_output.
using Values = std::vector<double>;

// Sets the element to x + t, rounded to its dtype, and returns the actual t.
using Move = absl::FunctionRef<double(double)>;

// The machine epsilon.
double epsilon_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return 0x1p-10;
    case Dtype::kBFloat16:
      return 0x1p-7;
    case Dtype::kFloat32:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

class Differentiator {
 public:
  Differentiator(const ArrayFunction& f, const std::vector<Array>& grad_outputs,
                 const NumericalGradOptions& options)
      : f_(f), grad_outputs_(grad_outputs), options_(options) {
    if (!(options.eps > 0)) {
      raise<ValueError>("numerical_grad: expected eps > 0, got ", options.eps);
    }
    for (const Array& grad : grad_outputs) {
      if (!grad.defined()) continue;
      const Values values = to_doubles(grad);
      weights_.insert(weights_.end(), values.begin(), values.end());
      rounding_ = std::max(rounding_, 16 * epsilon_of(grad.dtype()));
    }
    if (options.center_outputs.empty()) return;
    center_ = values_of(options.center_outputs, "center_outputs");
  }

  double operator()(Move move) const {
    try {
      const double derivative = central_difference(move);
      move(0);
      return derivative;
    } catch (...) {
      move(0);
      throw;
    }
  }

 private:
  Values evaluate() const { return values_of(f_(), "outputs"); }

  Values values_of(std::span<const Array> outputs,
                   std::string_view name) const {
    if (outputs.size() != grad_outputs_.size()) {
      raise<ValueError>("numerical_grad: expected a gradient for each of ",
                        outputs.size(), " ", name, ", got ",
                        grad_outputs_.size());
    }
    Values values;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!grad_outputs_[i].defined()) continue;
      if (outputs[i].shape() != grad_outputs_[i].shape()) {
        raise<ShapeError>("numerical_grad: expected grad_outputs[", i,
                          "] of shape ", outputs[i].shape(), ", got ",
                          grad_outputs_[i].shape(), " for the ", name);
      }
      const Values output = to_doubles(outputs[i]);
      values.insert(values.end(), output.begin(), output.end());
    }
    return values;
  }

  double central_difference(Move move) const {
    const double eps = options_.eps;
    const double right = move(eps);
    const Values high = evaluate();
    const double left = move(-eps);
    const Values low = evaluate();
    if (options_.detect_nondifferentiable) check_smooth(move, low, high);
    double sum = 0;
    for (size_t i = 0; i < weights_.size(); ++i) {
      sum += weights_[i] * (high[i] - low[i]);
    }
    return sum / (right - left);
  }

  // A parabola has no third and no fourth difference.
  void check_smooth(Move move, const Values& low, const Values& high) const {
    move(options_.eps / 2);
    const Values half_high = evaluate();
    move(-options_.eps / 2);
    const Values half_low = evaluate();
    move(0);
    const Values center = center_ ? *center_ : evaluate();
    for (size_t i = 0; i < weights_.size(); ++i) {
      const double outer = high[i] - low[i];
      const double inner = half_high[i] - half_low[i];
      const double third = outer - 2 * inner;
      const double fourth =
          high[i] + low[i] - 4 * (half_high[i] + half_low[i]) + 6 * center[i];
      const auto [min, max] =
          std::minmax({low[i], half_low[i], center[i], half_high[i], high[i]});
      const double rounding =
          rounding_ * std::max(std::abs(min), std::abs(max));
      const double allowed =
          options_.diff_atol + options_.diff_rtol * (max - min) + rounding;
      const double bend = std::max(std::abs(third), std::abs(fourth));
      if (bend > allowed) {
        raise<NondifferentiableError>(
            "numerical_grad: expected a function that is smooth within eps ",
            options_.eps, " of its inputs, but its values ", low[i], ", ",
            half_low[i], ", ", center[i], ", ", half_high[i], ", ", high[i],
            " at -eps, -eps/2, 0, eps/2, eps deviate from a parabola by ", bend,
            " > ", allowed);
      }
    }
  }

  const ArrayFunction& f_;
  const std::vector<Array>& grad_outputs_;
  const NumericalGradOptions& options_;
  Values weights_;
  std::optional<Values> center_;
  // The relative error of values.
  double rounding_ = 0;
};

// The element at `position` in C order, as a 0-d view.
Array element_view(const Array& a, int64_t position) {
  std::vector<Index> indexes(a.ndim(), Index(0));
  for (int axis = a.ndim() - 1; axis >= 0; --axis) {
    indexes[axis] = Index(position % a.shape()[axis]);
    position /= a.shape()[axis];
  }
  return array::basic_index(a, indexes);
}

double partial_derivative(const Differentiator& differentiate,
                          const Array& element) {
  const double value = element.item<double>();
  return differentiate([&](double t) {
    element.fill(value + t);
    const double moved = element.item<double>() - value;
    if (t != 0 && moved == 0) {
      raise<ValueError>("numerical_grad: expected an eps that changes the ",
                        element.dtype(), " element ", value, ", got ",
                        std::abs(t));
    }
    return moved;
  });
}

void check_input(const Array& input) {
  if (is_floating(input.dtype())) {
    array::check_writable(input, "numerical_grad");
  }
}

}  // namespace

std::vector<double> to_doubles(const Array& a) {
  const Array host = a.to_device(native_device())
                         .astype(Dtype::kFloat64, Array::CopyPolicy::kIfNeeded)
                         .contiguous();
  return std::vector<double>(host.data<double>(),
                             host.data<double>() + host.size());
}

std::vector<Array> numerical_grad(const ArrayFunction& f,
                                  const std::vector<Array>& inputs,
                                  const std::vector<Array>& grad_outputs,
                                  const NumericalGradOptions& options) {
  const Differentiator differentiate(f, grad_outputs, options);
  for (const Array& input : inputs) check_input(input);
  std::vector<Array> gradients;
  for (const Array& input : inputs) {
    if (!is_floating(input.dtype())) {
      gradients.emplace_back();
      continue;
    }
    std::vector<double> gradient(input.size());
    for (int64_t i = 0; i < input.size(); ++i) {
      gradient[i] = partial_derivative(differentiate, element_view(input, i));
    }
    gradients.push_back(array::array(gradient, input.shape(), input.device())
                            .astype(input.dtype()));
  }
  return gradients;
}

double numerical_derivative(const ArrayFunction& f,
                            const std::vector<Array>& inputs,
                            const std::vector<Array>& directions,
                            const std::vector<Array>& grad_outputs,
                            const NumericalGradOptions& options) {
  const Differentiator differentiate(f, grad_outputs, options);
  std::vector<Array> starts;
  for (const Array& input : inputs) {
    check_input(input);
    starts.push_back(input.copy());
  }
  return differentiate([&](double t) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!directions[i].defined()) continue;
      inputs[i].assign(t == 0 ? starts[i] : starts[i] + directions[i] * t);
    }
    return t;
  });
}

}  // namespace catena::gradient_check
