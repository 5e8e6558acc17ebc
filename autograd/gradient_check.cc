#include "catena/autograd/gradient_check.h"

#include <cmath>
#include <cstring>
#include <random>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/gradient_difference.h"

namespace catena::gradient_check {
namespace {

using internal::describe;
using internal::describe_list;
using internal::find_difference;
using internal::text_of;
using internal::Tolerance;

// Copies of arrays, to detect whether a function wrote to them.
class ChangeDetector {
 public:
  void watch(std::string name, const Array& a) {
    if (a.defined()) watched_.push_back({std::move(name), a, a.copy()});
  }
  void check(std::string_view operation) const {
    for (const auto& [name, array, before] : watched_) {
      const Array now = array.to_device(native_device()).contiguous();
      const Array then = before.to_device(native_device());
      if (now.size() > 0 &&
          std::memcmp(now.raw_data(), then.raw_data(), now.nbytes()) != 0) {
        raise<GradientError>(operation, ": ", name,
                             " was changed by the function\nbefore: ",
                             describe(before), "\nafter: ", describe(array));
      }
    }
  }

 private:
  struct Watched {
    std::string name;
    Array array;
    Array before;
  };
  std::vector<Watched> watched_;
};

// Temporarily replaces the data of parameters by copies, cast if a dtype is
// given.
class BorrowedParameters {
 public:
  BorrowedParameters(const std::vector<Parameter>& params,
                     std::optional<Dtype> dtype) {
    for (const Parameter& param : params) {
      saved_.push_back({param, param.data(), param.grad_var()});
      const Dtype own = param.dtype();
      param.set_data(
          param.data().astype(is_floating(own) ? dtype.value_or(own) : own));
    }
  }
  ~BorrowedParameters() {
    for (const auto& [param, data, grad] : saved_) {
      param.set_data(data);
      param.set_grad_var(grad);
      param.bump_version();
    }
  }
  BorrowedParameters(const BorrowedParameters&) = delete;

 private:
  struct Saved {
    Parameter param;
    Array data;
    Variable grad;
  };
  std::vector<Saved> saved_;
};

void check_count(std::string_view operation, std::string_view what,
                 size_t given, size_t expected) {
  if (given != expected) {
    raise<ValueError>(operation, ": expected ", expected, " ", what, ", got ",
                      given);
  }
}

// The gradient of the only output, if none is given.
Array ones_like_scalar(const Variables& ys, std::string_view operation) {
  if (ys.size() != 1 || ys[0].size() != 1) {
    raise<ValueError>(
        operation,
        ": expected y_grad, or a function with one output of one "
        "element, got ",
        ys.size(), " outputs",
        ys.size() == 1 ? str(" of shape ", ys[0].shape()) : std::string());
  }
  return array::ones_like(ys[0].data());
}

class BackwardCheck {
 public:
  BackwardCheck(std::string_view name, const VariableFunction& func,
                const std::vector<Array>& x_data,
                const std::vector<Array>& y_grad,
                const std::vector<Parameter>& params,
                const CheckOptions& options, Tolerance tolerance)
      : name_(name),
        func_(func),
        x_data_(x_data),
        y_grad_(y_grad),
        params_(params),
        options_(options),
        tolerance_(tolerance) {
    if (!options.no_grads.empty()) {
      check_count(name, "no_grads", options.no_grads.size(), x_data.size());
    }
    for (size_t i = 0; i < x_data.size(); ++i) {
      if (!x_data[i].defined()) {
        raise<ValueError>(name, ": x_data[", i, "] is undefined");
      }
    }
  }

  void run() {
    const std::vector<Variable> gradients = differentiate();
    const BorrowedParameters borrowed(params_, options_.dtype);
    collect_targets(gradients);
    int64_t elements = 0;
    for (const Target& target : targets_) elements += target.data.size();
    if (elements <= options_.max_elements) {
      compare_elements();
    } else {
      compare_directions();
    }
  }

 private:
  // An array whose gradient is checked: the private copy that numerical
  // differentiation modifies, and the gradient from backward.
  struct Target {
    std::string name;
    Array data;
    Variable gradient;
  };

  bool is_skipped(size_t input) const {
    return !is_floating(x_data_[input].dtype()) ||
           (!options_.no_grads.empty() && options_.no_grads[input]);
  }

  // Computes the gradients of all inputs and parameters by backward.
  std::vector<Variable> differentiate() {
    ChangeDetector changes;
    Variables xs;
    std::vector<Variable> inputs;
    for (size_t i = 0; i < x_data_.size(); ++i) {
      changes.watch(str("input ", i), x_data_[i]);
      xs.push_back(Variable(x_data_[i]));
      inputs.push_back(xs.back());
    }
    for (size_t i = 0; i < params_.size(); ++i) {
      changes.watch(str("parameter ", i), params_[i].data());
      inputs.push_back(params_[i]);
    }
    const auto scope = force_backprop_mode();
    const Variables ys = func_(xs);
    if (y_grad_.empty()) y_grad_ = {ones_like_scalar(ys, name_)};
    check_count(name_, "y_grad", y_grad_.size(), ys.size());
    GradOptions options;
    std::vector<Variable> outputs;
    for (size_t i = 0; i < ys.size(); ++i) {
      if (!y_grad_[i].defined()) continue;
      changes.watch(str("y_grad ", i), y_grad_[i]);
      outputs.push_back(ys[i]);
      options.grad_outputs.push_back(as_variable(y_grad_[i]));
    }
    for (size_t i = 0; i < params_.size(); ++i) {
      if (!params_[i].is_initialized()) {
        raise<ValueError>(
            name_, ": parameter ", i,
            " is uninitialized, and the function did not initialize it");
      }
    }
    std::vector<Variable> gradients = grad(outputs, inputs, options);
    changes.check(name_);
    for (size_t i = 0; i < x_data_.size(); ++i) {
      if (is_skipped(i) && gradients[i].defined()) {
        raise<GradientError>(name_, ": expected no gradient for input ", i,
                             ", got ", describe(gradients[i].data()));
      }
    }
    return gradients;
  }

  // Copies of an array for numerical differentiation.
  Array numerical_copy(const Array& a) const {
    if (!a.defined() || !is_floating(a.dtype())) return a;
    return a.astype(options_.dtype.value_or(a.dtype()));
  }

  void collect_targets(const std::vector<Variable>& gradients) {
    for (size_t i = 0; i < x_data_.size(); ++i) {
      numerical_x_.push_back(numerical_copy(x_data_[i]));
      if (is_skipped(i)) continue;
      targets_.push_back({str("input ", i), numerical_x_.back(), gradients[i]});
    }
    for (size_t i = 0; i < params_.size(); ++i) {
      if (!is_floating(params_[i].dtype())) continue;
      targets_.push_back({str("parameter ", i, " ", params_[i].name()),
                          params_[i].data(), gradients[x_data_.size() + i]});
    }
    for (const Array& grad : y_grad_) {
      numerical_y_grad_.push_back(numerical_copy(grad));
    }
  }

  // The function for numerical differentiation: on the private copies, and
  // without a graph.
  Arrays evaluate() const {
    const auto scope = no_backprop_mode();
    for (const Parameter& param : params_) param.bump_version();
    Variables xs;
    for (const Array& x : numerical_x_) xs.push_back(Variable(x));
    Arrays results;
    for (const Variable& y : func_(xs)) results.push_back(y.data());
    return results;
  }

  NumericalGradOptions numerical_options() const {
    return {.eps = options_.eps,
            .detect_nondifferentiable = options_.detect_nondifferentiable,
            .diff_atol = options_.diff_atol,
            .diff_rtol = options_.diff_rtol};
  }

  std::vector<double> gradient_of(const Target& target) const {
    return target.gradient.defined() ? to_doubles(target.gradient.data())
                                     : std::vector<double>(target.data.size());
  }

  void compare_elements() const {
    std::vector<Array> inputs;
    for (const Target& target : targets_) inputs.push_back(target.data);
    const std::vector<Array> expected =
        numerical_grad([this] { return evaluate(); }, inputs, numerical_y_grad_,
                       numerical_options());
    for (size_t i = 0; i < targets_.size(); ++i) {
      const Target& target = targets_[i];
      const std::string difference =
          find_difference(gradient_of(target), to_doubles(expected[i]),
                          target.data.shape(), tolerance_);
      if (difference.empty()) continue;
      const bool has_gradient = target.gradient.defined();
      fail(str("the gradient of ", target.name, " is wrong: ", difference,
               "\nexpected (numerical): ", describe(expected[i]),
               "\nactual (backward): ",
               has_gradient ? describe(target.gradient.data()) : "none"));
    }
  }

  // An error of one element shows in a direction's derivative as well, though
  // smaller by the square root of the number of elements.
  void compare_directions() const {
    std::mt19937_64 random(options_.seed);
    std::normal_distribution<double> normal;
    for (int k = 0; k < options_.directions; ++k) {
      std::vector<std::vector<double>> directions;
      double norm = 0;
      for (const Target& target : targets_) {
        std::vector<double>& direction =
            directions.emplace_back(target.data.size());
        for (double& value : direction) {
          value = normal(random);
          norm += value * value;
        }
      }
      norm = std::sqrt(norm);
      double actual = 0;
      std::vector<Array> inputs;
      std::vector<Array> moves;
      for (size_t i = 0; i < targets_.size(); ++i) {
        const std::vector<double> gradient = gradient_of(targets_[i]);
        for (size_t j = 0; j < gradient.size(); ++j) {
          directions[i][j] /= norm;
          actual += gradient[j] * directions[i][j];
        }
        const Array& data = targets_[i].data;
        inputs.push_back(data);
        moves.push_back(array::array(directions[i], data.shape(), data.device())
                            .astype(data.dtype()));
      }
      const double expected =
          numerical_derivative([this] { return evaluate(); }, inputs, moves,
                               numerical_y_grad_, numerical_options());
      if (tolerance_.accepts(actual, expected)) continue;
      fail(str("the derivative along random direction ", k, " of seed ",
               options_.seed, " is wrong: expected (numerical) ",
               text_of(expected), ", actual (backward) ", text_of(actual),
               ", max error ", text_of(std::abs(actual - expected)), " (atol ",
               text_of(tolerance_.atol), ", rtol ", text_of(tolerance_.rtol),
               "); set max_elements above the number of elements to find the "
               "wrong one"));
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    std::vector<Array> params;
    for (const Parameter& param : params_) params.push_back(param.data());
    raise<GradientError>(name_, ": ", what, describe_list("input", x_data_),
                         describe_list("parameter", params),
                         describe_list("y_grad", y_grad_));
  }

  std::string_view name_;
  const VariableFunction& func_;
  const std::vector<Array>& x_data_;
  std::vector<Array> y_grad_;
  const std::vector<Parameter>& params_;
  const CheckOptions& options_;
  Tolerance tolerance_;

  std::vector<Target> targets_;
  std::vector<Array> numerical_x_;
  std::vector<Array> numerical_y_grad_;
};

// The gradients of a function's inputs and parameters, as a function of its
// inputs and the defined y_grad.
class FirstGradients {
 public:
  FirstGradients(const VariableFunction& func, const std::vector<Array>& x_data,
                 const std::vector<Array>& y_grad,
                 const std::vector<Parameter>& params,
                 const CheckOptions& options)
      : func_(func), params_(params), inputs_(x_data), count_(x_data.size()) {
    for (size_t i = 0; i < count_; ++i) {
      is_differentiated_.push_back(
          x_data[i].defined() && is_floating(x_data[i].dtype()) &&
          (i >= options.no_grads.size() || !options.no_grads[i]));
    }
    for (const Array& grad : y_grad) {
      has_y_grad_.push_back(grad.defined());
      if (grad.defined()) inputs_.push_back(grad);
    }
  }

  const std::vector<Array>& inputs() const { return inputs_; }

  // One gradient per input and parameter, zeros where there is none.
  Variables operator()(const Variables& inputs) const {
    const bool differentiable = config().enable_backprop;
    const auto scope = force_backprop_mode();
    Variables xs;
    for (size_t i = 0; i < count_; ++i) {
      // A constant must not get a gradient through the others' gradients.
      xs.push_back(is_differentiated_[i]
                       ? inputs[i]
                       : Variable::from_data(inputs[i].data(), false));
    }
    const Variables ys = func_(xs);
    check_count("check_double_backward", "y_grad", has_y_grad_.size(),
                ys.size());
    GradOptions options;
    options.enable_double_backprop = differentiable;
    std::vector<Variable> outputs;
    size_t next = count_;
    for (size_t i = 0; i < ys.size(); ++i) {
      if (!has_y_grad_[i]) continue;
      outputs.push_back(ys[i]);
      options.grad_outputs.push_back(inputs[next++]);
    }
    std::vector<Variable> targets(xs.begin(), xs.end());
    targets.insert(targets.end(), params_.begin(), params_.end());
    Variables gradients;
    for (const Variable& gradient : grad(outputs, targets, options)) {
      const Variable& target = targets[gradients.size()];
      gradients.push_back(gradient.defined()
                              ? gradient
                              : as_variable(array::zeros_like(target.data())));
    }
    return gradients;
  }

 private:
  const VariableFunction& func_;
  const std::vector<Parameter>& params_;
  std::vector<Array> inputs_;
  size_t count_;
  std::vector<bool> is_differentiated_;
  std::vector<bool> has_y_grad_;
};

}  // namespace

void VariableFunction::check_count(size_t given, size_t expected) {
  if (given != expected) {
    raise<ValueError>("gradient_check: expected ", expected,
                      " inputs, as many as the function takes, got ", given);
  }
}

void check_backward(const VariableFunction& func,
                    const std::vector<Array>& x_data,
                    const std::vector<Array>& y_grad,
                    const std::vector<Parameter>& params,
                    const CheckOptions& options) {
  BackwardCheck("check_backward", func, x_data, y_grad, params, options,
                {options.atol.value_or(1e-5), options.rtol.value_or(1e-4)})
      .run();
}

void check_double_backward(const VariableFunction& func,
                           const std::vector<Array>& x_data,
                           const std::vector<Array>& y_grad,
                           const std::vector<Array>& x_grad_grad,
                           const std::vector<Parameter>& params,
                           const std::vector<Array>& params_grad_grad,
                           const CheckOptions& options) {
  constexpr std::string_view kName = "check_double_backward";
  check_count(kName, "x_grad_grad", x_grad_grad.size(), x_data.size());
  check_count(kName, "params_grad_grad", params_grad_grad.size(),
              params.size());
  std::vector<Array> first_grad = y_grad;
  if (first_grad.empty()) {
    const auto scope = no_backprop_mode();
    Variables xs;
    for (const Array& x : x_data) xs.push_back(as_variable(x));
    first_grad = {ones_like_scalar(func(xs), kName)};
  }
  const FirstGradients first(func, x_data, first_grad, params, options);
  std::vector<Array> grad_grad = x_grad_grad;
  grad_grad.insert(grad_grad.end(), params_grad_grad.begin(),
                   params_grad_grad.end());
  CheckOptions all_options = options;
  all_options.no_grads.resize(first.inputs().size(), false);
  BackwardCheck(kName, first, first.inputs(), grad_grad, params, all_options,
                {options.atol.value_or(1e-4), options.rtol.value_or(1e-3)})
      .run();
}

void assert_allclose(const Array& x, const Array& y,
                     const AllcloseOptions& options) {
  if (x.shape() != y.shape()) {
    raise<GradientError>("assert_allclose: expected shape ", y.shape(),
                         ", got ", x.shape());
  }
  const std::string difference =
      find_difference(to_doubles(x), to_doubles(y), x.shape(),
                      {options.atol, options.rtol, /*allows_nonfinite=*/true});
  if (difference.empty()) return;
  if (!options.verbose) raise<GradientError>("assert_allclose: ", difference);
  raise<GradientError>("assert_allclose: ", difference,
                       "\nexpected: ", describe(y), "\nactual: ", describe(x));
}

}  // namespace catena::gradient_check
