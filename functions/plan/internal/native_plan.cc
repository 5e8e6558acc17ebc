#include "catena/functions/plan/internal/native_plan.h"

#include <omp.h>

#include <set>

#include "catena/array/core/parallel.h"
#include "catena/array/cpu/thread_limit.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable_node.h"
#include "catena/functions/plan/internal/lowering.h"

namespace catena::functions {

NativePlan::NativePlan(TracedGraph graph, const ExecutionPlanOptions& options)
    : graph_(std::move(graph)),
      options_(options),
      threads_(omp_in_parallel() != 0 ? 1 : get_num_threads()),
      version_(options.weights == PlanCheck::kSampled) {
  const cpu::ThreadLimit limit(threads_);
  steps_ = lower(graph_, options.precision);
  std::set<int> leaves;
  for (const PackedWeights& packed : steps_.packed()) {
    leaves.insert(packed.leaves.begin(), packed.leaves.end());
  }
  for (const int leaf : leaves) {
    watched_.push_back({leaf, graph_.leaf(leaf)});
    version_.add(graph_.leaf(leaf));
  }
  count_uses_of_constants(graph_);
}

bool NativePlan::is_current() const {
  for (const TracedValue& value : graph_.values) {
    if (value.kind == TracedValue::Kind::kParameter) {
      const Array& now = value.variable->data();
      if (!now.defined() || now.shape() != value.shape ||
          now.dtype() != value.dtype || !now.device().shares_host_memory()) {
        return false;
      }
    }
  }
  return constants_are_used(graph_);
}

void NativePlan::check_weights() {
  std::set<int> changed;
  for (size_t i = 0; i < watched_.size(); ++i) {
    const Array& now = graph_.leaf(watched_[i].leaf);
    if (now.is_same(watched_[i].array)) continue;
    watched_[i].array = now;
    version_.replace(static_cast<int>(i), now);
    changed.insert(watched_[i].leaf);
  }
  if (!is_packed_ || options_.weights != PlanCheck::kNone) {
    for (const int i : version_.changes()) changed.insert(watched_[i].leaf);
  }
  if (changed.empty()) return;
  is_packed_ = false;
  for (const PackedWeights& packed : steps_.packed()) {
    for (const int leaf : packed.leaves) {
      if (!changed.contains(leaf)) continue;
      packed.pack();
      break;
    }
  }
  is_packed_ = true;
}

std::vector<Array> NativePlan::run(const std::vector<Array>& inputs) {
  const cpu::ThreadLimit limit(threads_);
  const ConfigScope backprop(&Config::enable_backprop, false);
  check_weights();
  std::vector<Array> arrays = arrays_of_inputs(graph_, inputs);
  steps_.run(graph_, arrays, options_.measure_steps);
  return outputs_of(graph_, arrays);
}

std::vector<PlanStep> NativePlan::steps() const {
  std::vector<PlanStep> result;
  for (const Step& step : steps_.steps()) result.push_back(step.description);
  return result;
}

}  // namespace catena::functions
