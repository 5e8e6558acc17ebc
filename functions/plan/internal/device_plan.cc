#include "catena/functions/plan/internal/device_plan.h"

#include <utility>

#include "catena/autograd/autocast.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable_node.h"

namespace catena::functions {

DevicePlan::DevicePlan(Device device, TracedGraph graph,
                       const std::vector<Array>& inputs,
                       const Compute& function, PlanCheck weights)
    : device_(device), graph_(std::move(graph)) {
  for (const Array& x : inputs) inputs_.push_back(x.copy());
  fused_.emplace(graph_, /*folds_once=*/weights == PlanCheck::kNone);
  if (fused_->empty()) {
    capture_function(function);
  } else {
    capture([this](const std::vector<Array>& in) { return fused_->run(in); });
  }
}

void DevicePlan::capture_function(const Compute& function) {
  fused_.reset();
  capture(function);
}

void DevicePlan::capture(const Compute& compute) {
  const ConfigScope backprop(&Config::enable_backprop, false);
  compute(inputs_);  // makes what a capture must not
  work_ = capture_work(device_, [&] {
    const catena::internal::OwnAutocastCopies copies;
    outputs_ = compute(inputs_);
  });
  addresses_ = addresses_of_parameters();
  count_uses_of_constants(graph_);
}

bool DevicePlan::is_current() const {
  return constants_are_used(graph_) && addresses_of_parameters() == addresses_;
}

std::vector<const char*> DevicePlan::addresses_of_parameters() const {
  std::vector<const char*> result;
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    if (graph_.values[i].kind != TracedValue::Kind::kParameter) continue;
    const Array& now = graph_.leaf(static_cast<int>(i));
    result.push_back(now.defined() ? now.raw_data() : nullptr);
  }
  return result;
}

std::vector<Array> DevicePlan::run(const std::vector<Array>& inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) inputs_[i].assign(inputs[i]);
  work_->launch();
  std::vector<Array> results;
  for (const Array& output : outputs_) results.push_back(output.copy());
  return results;
}

std::vector<PlanStep> DevicePlan::steps() const {
  return is_fused() ? fused_->steps() : std::vector<PlanStep>();
}

}  // namespace catena::functions
