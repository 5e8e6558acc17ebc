#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "catena/array/core/captured_work.h"
#include "catena/functions/plan/internal/fused_calls.h"
#include "catena/functions/plan/internal/trace.h"
#include "catena/functions/plan/plan_options.h"

namespace catena::functions {

// A traced graph as work that was captured on a GPU.
class DevicePlan {
 public:
  using Compute = std::function<std::vector<Array>(const std::vector<Array>&)>;

  // Captures the graph's calls, with convolutions that take in others, or, if
  // there are none, `function`, which the graph was traced from.
  DevicePlan(Device device, TracedGraph graph, const std::vector<Array>& inputs,
             const Compute& function, PlanCheck weights);
  DevicePlan(const DevicePlan&) = delete;
  DevicePlan& operator=(const DevicePlan&) = delete;

  // Whether the graph's calls were captured. If so, `function` can be captured
  // in their place, with what it computes apart from calls.
  bool is_fused() const { return fused_.has_value(); }
  void capture_function(const Compute& function);

  // Whether parameters and constants are the arrays that were captured.
  bool is_current() const;
  std::vector<Array> run(const std::vector<Array>& inputs) const;
  // None if the function was captured.
  std::vector<PlanStep> steps() const;

 private:
  void capture(const Compute& compute);
  std::vector<const char*> addresses_of_parameters() const;

  Device device_;
  TracedGraph graph_;
  std::vector<Array> inputs_;
  std::vector<Array> outputs_;
  std::optional<FusedCalls> fused_;
  std::unique_ptr<CapturedWork> work_;
  std::vector<const char*> addresses_;
};

}  // namespace catena::functions
