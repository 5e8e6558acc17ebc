#pragma once

#include <map>
#include <memory>
#include <vector>

#include "catena/functions/plan/internal/plan_steps.h"
#include "catena/functions/plan/internal/trace.h"
#include "catena/functions/plan/internal/weights_version.h"
#include "catena/functions/plan/plan_options.h"

namespace catena::functions {

// A traced graph as steps on the CPU.
class NativePlan {
 public:
  NativePlan(TracedGraph graph, const ExecutionPlanOptions& options);

  // Whether parameters and constants are those of the trace, or replaced by
  // arrays that fit.
  bool is_current() const;
  std::vector<Array> run(const std::vector<Array>& inputs);
  std::vector<PlanStep> steps() const;

 private:
  void check_weights();

  TracedGraph graph_;
  ExecutionPlanOptions options_;
  int threads_;
  StepList steps_;
  WeightsVersion version_;
  // The leaf and array of each of the version's numbers.
  struct Watched {
    int leaf;
    Array array;
  };
  std::vector<Watched> watched_;
  bool is_packed_ = false;
};

}  // namespace catena::functions
