#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/functions/plan/plan_options.h"

// An execution plan: calls of a function that repeat with the same shapes are
// traced once and then run without the function, in fewer passes over memory.
namespace catena::functions {

// Runs a function of variables for inference, such as a model's forward:
//
//   const auto test = using_config(&Config::train, false);
//   const auto scope = no_backprop_mode();
//   ExecutionPlan plan([&](const Variable& x) { return model(x); });
//   const Variable y = plan(x);
//
// The first call with new shapes, dtypes, device or config calls the function
// and traces what it computes; later ones run the plan. On the CPU, float32
// convolutions, linear functions and pooling are oneDNN primitives that pass
// images to each other in oneDNN's layouts, with batch normalization folded
// into the weights, and bias, the addition of a residual and relu in the same
// pass; weights are packed once, and the memory between is assigned once.
// Elementwise functions in a row are one pass over memory. All else is computed
// as eagerly, by the same kernels.
//
// On a GPU the calls become a CUDA graph. Convolutions of float32, float16 and
// bfloat16 take in batch normalization, bias, residual and relu there, too, by
// one call of cuDNN. A function without such convolutions, or one that computes
// on arrays, is captured as it is, and gives eager's results to the bit.
//
// Parameters may be updated in place or replaced at any time: the plan packs
// them again (see PlanCheck). Arrays that the function owns, such as running
// averages, are noticed when changed in place and, unless others hold them,
// when replaced; call refresh() after other replacements.
//
// The function must always compute the same, in functions on variables: what it
// computes on arrays, or branches on, is fixed by the trace. A plan is checked
// by a second call with other values, which throws ValueError when the
// functions or results differ. What changes from call to call, such as dropout
// in training mode, is refused by name.
//
// Calls from several threads are run one after another.
class ExecutionPlan {
 public:
  using Function = std::function<Variable(const Variable&)>;
  using ListFunction =
      std::function<std::vector<Variable>(const std::vector<Variable>&)>;

  // Throws ValueError for another precision than float32 and bfloat16 or for
  // max_plans 0, and NotImplementedError where the processor has no
  // instructions for bfloat16.
  explicit ExecutionPlan(Function function,
                         const ExecutionPlanOptions& options = {});
  // A function of several inputs and outputs.
  explicit ExecutionPlan(ListFunction function,
                         const ExecutionPlanOptions& options = {});
  ~ExecutionPlan();
  ExecutionPlan(const ExecutionPlan&) = delete;
  ExecutionPlan& operator=(const ExecutionPlan&) = delete;

  // The results have no graph. Throws GradientError when an input requires a
  // gradient that would be recorded, ValueError as described above, and what
  // the function throws.
  Variable operator()(const Variable& x);
  std::vector<Variable> operator()(const std::vector<Variable>& inputs);

  // Drops all plans: the next calls trace again.
  void refresh();

  size_t n_plans() const;
  // How often the function has been traced.
  int64_t n_traces() const { return n_traces_; }
  // The steps of the plan that ran last; none before the first call, or where a
  // GPU has captured the function as it is.
  std::vector<PlanStep> steps() const;

 private:
  struct Plan;

  std::vector<Array> run(const std::vector<Array>& inputs);
  std::unique_ptr<Plan> make_plan(const std::vector<int64_t>& key,
                                  const std::vector<Array>& inputs);

  ListFunction function_;
  ExecutionPlanOptions options_;
  mutable std::mutex mutex_;
  std::list<std::unique_ptr<Plan>> plans_;  // most recently used first
  int64_t n_traces_ = 0;
};

}  // namespace catena::functions
