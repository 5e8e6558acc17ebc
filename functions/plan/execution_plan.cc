#include "catena/functions/plan/execution_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "catena/array/core/captured_work.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/onednn/description.h"
#include "catena/autograd/config.h"
#include "catena/functions/plan/internal/device_plan.h"
#include "catena/functions/plan/internal/native_plan.h"
#include "catena/functions/plan/internal/trace.h"

namespace catena::functions {
namespace {

// What a trace depends on.
std::vector<int64_t> key_of(const std::vector<Array>& inputs) {
  std::vector<int64_t> key;
  for (const Array& x : inputs) {
    key.push_back(static_cast<int64_t>(x.dtype()));
    key.push_back(x.ndim());
    key.insert(key.end(), x.shape().begin(), x.shape().end());
  }
  if (!inputs.empty()) {
    const Device device = inputs[0].device();
    key.push_back(static_cast<int64_t>(device.backend()));
    key.push_back(device.index());
  }
  const Config& now = config();
  key.insert(key.end(),
             {now.train, now.dtype.is_mixed16(),
              static_cast<int64_t>(Dtype(now.dtype)),
              static_cast<int64_t>(now.autocast.dtype()),
              static_cast<int64_t>(now.use_onednn),
              static_cast<int64_t>(now.use_cudnn),
              static_cast<int64_t>(now.use_cudnn_tensor_core),
              now.cudnn_deterministic, now.autotune, now.use_cudnn_graph,
              now.use_cudnn_rnn_stack, get_num_threads()});
  return key;
}

std::vector<Variable> variables_of(const std::vector<Array>& arrays) {
  std::vector<Variable> variables;
  for (const Array& array : arrays) variables.push_back(as_variable(array));
  return variables;
}

// Calls the function without recording.
std::vector<Array> call_eagerly(const PlannedFunction& function,
                                const std::vector<Array>& inputs) {
  const ConfigScope backprop(&Config::enable_backprop, false);
  std::vector<Array> results;
  for (const Variable& y : function(variables_of(inputs))) {
    results.push_back(y.data());
  }
  return results;
}

// Floating elements in another order and scaled within their range; others are
// often indices or lengths, and stay.
Array with_other_values(const Array& x) {
  if (!is_floating(x.dtype()) || x.size() == 0) return x;
  const Device device = x.device();
  const Array host =
      x.to_device(native_device()).astype(Dtype::kFloat64).reshape({-1});
  const Array steps = (array::arange(x.size())
                               .to_device(native_device())
                               .astype(Dtype::kFloat64) %
                           7.0 +
                       1.0) /
                      32.0;
  const Array reversed = host[{Slice(std::nullopt, std::nullopt, -1)}];
  return (reversed * 0.5 + steps)
      .astype(x.dtype())
      .reshape(x.shape())
      .to_device(device);
}

double tolerance(Dtype dtype, Dtype precision) {
  if (precision == Dtype::kBFloat16) return 0.15;
  switch (dtype) {
    case Dtype::kFloat64:
      return 1e-7;
    case Dtype::kFloat32:
      return 2e-3;
    case Dtype::kFloat16:
      return 2e-2;
    default:
      return 0.1;
  }
}

bool is_close(const Array& a, const Array& b, Dtype precision) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const bool is_exact = !is_floating(a.dtype());
  if (is_exact && precision != Dtype::kFloat32) return true;
  const std::vector<double> x = a.to_vector<double>();
  const std::vector<double> y = b.to_vector<double>();
  double largest = 0;
  for (const double v : y) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  const double limit = is_exact ? 0 : tolerance(a.dtype(), precision) * largest;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool is_same = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
    if (!is_same && !(std::abs(x[i] - y[i]) <= limit)) return false;
  }
  return true;
}

// The first result that is not the expected one.
std::optional<size_t> first_difference(const std::vector<Array>& results,
                                       const std::vector<Array>& expected,
                                       Dtype precision) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (i >= expected.size() || !is_close(results[i], expected[i], precision)) {
      return i;
    }
  }
  return std::nullopt;
}

void expect_precision_of_device(Dtype precision) {
  if (precision == Dtype::kFloat32) return;
  raise<ValueError>(
      "ExecutionPlan: expected precision float32 on a GPU, whose plans compute "
      "in the dtype of their arrays, got ",
      precision);
}

void expect_same_functions(const TracedGraph& first,
                           const TracedGraph& second) {
  const std::vector<CalledFunction>& a = first.functions;
  const std::vector<CalledFunction>& b = second.functions;
  const auto [x, y] = std::ranges::mismatch(a, b);
  if (x == a.end() && y == b.end()) return;
  const std::string none = "no further function";
  raise<ValueError>(
      "ExecutionPlan: expected the same functions in each call, got ",
      x == a.end() ? none : x->label, " as function ", x - a.begin() + 1,
      ", then ", y == b.end() ? none : y->label,
      " for other values of the inputs: does the code branch on values?");
}

// An input of integers that no call reads: a plan of calls would keep what was
// made of its values. (Floating inputs are checked with other values.)
const TracedValue* unread_integers(const TracedGraph& graph) {
  const auto found =
      std::ranges::find_if(graph.values, [](const TracedValue& value) {
        return value.kind == TracedValue::Kind::kInput && value.uses == 0 &&
               !is_floating(value.dtype);
      });
  return found == graph.values.end() ? nullptr : &*found;
}

}  // namespace

struct ExecutionPlan::Plan {
  std::vector<int64_t> key;
  // One of them.
  std::unique_ptr<NativePlan> native = nullptr;
  std::unique_ptr<DevicePlan> device = nullptr;

  bool is_current() const {
    return native != nullptr ? native->is_current() : device->is_current();
  }
  std::vector<Array> run(const std::vector<Array>& inputs) const {
    return native != nullptr ? native->run(inputs) : device->run(inputs);
  }
  std::vector<PlanStep> steps() const {
    return native != nullptr ? native->steps() : device->steps();
  }
};

ExecutionPlan::ExecutionPlan(Function function,
                             const ExecutionPlanOptions& options)
    : ExecutionPlan(ListFunction([function = std::move(function)](
                                     const std::vector<Variable>& inputs) {
                      if (inputs.size() != 1) {
                        raise<ValueError>(
                            "ExecutionPlan: expected 1 input, got ",
                            inputs.size());
                      }
                      return std::vector<Variable>{function(inputs[0])};
                    }),
                    options) {}

ExecutionPlan::ExecutionPlan(ListFunction function,
                             const ExecutionPlanOptions& options)
    : function_(std::move(function)), options_(options) {
  const Dtype precision = options.precision;
  if (precision != Dtype::kFloat32 && precision != Dtype::kBFloat16) {
    raise<ValueError>(
        "ExecutionPlan: expected precision float32 or bfloat16, got ",
        precision);
  }
  if (!cpu::onednn::computes_in(precision)) {
    raise<NotImplementedError>(
        "ExecutionPlan: expected a processor with AVX512_BF16 for precision "
        "bfloat16");
  }
  if (options.max_plans == 0) {
    raise<ValueError>("ExecutionPlan: expected max_plans of at least 1, got 0");
  }
}

ExecutionPlan::~ExecutionPlan() = default;

Variable ExecutionPlan::operator()(const Variable& x) try {
  std::vector<Variable> results = (*this)(std::vector<Variable>{x});
  if (results.size() != 1) {
    raise<ValueError>("ExecutionPlan: expected 1 result, got ", results.size());
  }
  return results[0];
} catch (const std::bad_alloc&) {
  raise_out_of_memory("ExecutionPlan");
}

std::vector<Variable> ExecutionPlan::operator()(
    const std::vector<Variable>& inputs) try {
  std::vector<Array> arrays;
  for (const Variable& x : inputs) {
    if (!x.defined() || !x.data().defined()) {
      raise<ValueError>("ExecutionPlan: input ", arrays.size(),
                        " is undefined");
    }
    if (config().enable_backprop && x.requires_grad()) {
      raise<GradientError>(
          "ExecutionPlan: expected inputs that need no gradient, since a "
          "plan "
          "records none; got requires_grad for input ",
          arrays.size(), ". Call it with no_backprop_mode() or arrays");
    }
    if (!arrays.empty() && x.device() != arrays[0].device()) {
      raise<DeviceError>("ExecutionPlan: expected inputs on one device, got ",
                         arrays[0].device(), " and ", x.device());
    }
    arrays.push_back(x.data());
  }
  if (config().debug) {
    return variables_of(call_eagerly(function_, arrays));
  }
  const std::lock_guard lock(mutex_);
  return variables_of(run(arrays));
} catch (const std::bad_alloc&) {
  raise_out_of_memory("ExecutionPlan");
}

std::vector<Array> ExecutionPlan::run(const std::vector<Array>& inputs) {
  const std::vector<int64_t> key = key_of(inputs);
  const auto found = std::ranges::find_if(
      plans_, [&](const auto& plan) { return plan->key == key; });
  if (found != plans_.end()) {
    if ((*found)->is_current()) {
      plans_.splice(plans_.begin(), plans_, found);
      return plans_.front()->run(inputs);
    }
    plans_.erase(found);
  }
  plans_.push_front(make_plan(key, inputs));
  if (plans_.size() > options_.max_plans) plans_.pop_back();
  // By the plan, like later results: the function may round differently.
  return plans_.front()->run(inputs);
}

std::unique_ptr<ExecutionPlan::Plan> ExecutionPlan::make_plan(
    const std::vector<int64_t>& key, const std::vector<Array>& inputs) {
  ++n_traces_;
  auto plan = std::make_unique<Plan>();
  plan->key = key;
  TracedGraph graph = trace_graph(function_, inputs, nullptr);
  const Device device = inputs.empty() ? current_device() : inputs[0].device();
  // Before a capture, which code that branches on values would not allow.
  std::vector<Array> others;
  std::vector<Array> expected;
  if (options_.check_trace) {
    for (const Array& x : inputs) others.push_back(with_other_values(x));
    expect_same_functions(graph, trace_graph(function_, others, &expected));
  }
  const auto function = [this](const std::vector<Array>& in) {
    return call_eagerly(function_, in);
  };
  const TracedValue* const unread = unread_integers(graph);
  if (can_capture(device)) {
    expect_precision_of_device(options_.precision);
    const bool captures_function = unread != nullptr;
    plan->device = std::make_unique<DevicePlan>(
        device, std::move(graph), inputs, function, options_.weights);
    if (captures_function && plan->device->is_fused()) {
      plan->device->capture_function(function);
    }
  } else {
    if (unread != nullptr) {
      raise<ValueError>("ExecutionPlan: expected a function of input ",
                        unread->index, " as a variable, got none: the plan ",
                        "would keep the values of this call, of ",
                        unread->dtype);
    }
    plan->native = std::make_unique<NativePlan>(std::move(graph), options_);
  }
  if (options_.check_trace) {
    const auto wrong_result = [&] {
      return first_difference(plan->run(others), expected, options_.precision);
    };
    std::optional<size_t> wrong = wrong_result();
    if (wrong && plan->device != nullptr && plan->device->is_fused()) {
      plan->device->capture_function(function);
      wrong = wrong_result();
    }
    if (wrong) {
      raise<ValueError>(
          "ExecutionPlan: result ", *wrong,
          " of the plan differs from the function's for other values of the "
          "inputs: does the function compute on arrays instead of variables, "
          "draw random numbers, or call functions in no_backprop_mode()?");
    }
  }
  return plan;
}

void ExecutionPlan::refresh() {
  const std::lock_guard lock(mutex_);
  plans_.clear();
}

size_t ExecutionPlan::n_plans() const {
  const std::lock_guard lock(mutex_);
  return plans_.size();
}

std::vector<PlanStep> ExecutionPlan::steps() const {
  const std::lock_guard lock(mutex_);
  if (plans_.empty()) return {};
  return plans_.front()->steps();
}

}  // namespace catena::functions
