#include "catena/training/captured_steps.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <utility>

#include "catena/array/core/capture.h"
#include "catena/array/core/capture_participant.h"
#include "catena/array/core/captured_work.h"
#include "catena/array/core/error.h"
#include "catena/array/core/work_record.h"
#include "catena/array/random/generator_capture.h"
#include "catena/autograd/autocast.h"
#include "catena/autograd/config.h"
#include "catena/autograd/config_capture.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_node.h"
#include "catena/links/link_hook.h"
#include "catena/links/model_capture.h"
#include "catena/optimizers/optimizer_capture.h"
#include "catena/training/step_graph.h"

namespace catena::training {
namespace {

// Enough for the lengths of buckets; more forms are captured by chance.
constexpr size_t kMaxForms = 64;
// Ordinary steps in a row that each did something else than the one before.
constexpr int64_t kMaxWarmUps = 8;
// Launches that a capture should serve, and how many may serve fewer in a row.
constexpr int64_t kWorthwhile = 8;
constexpr int kMaxWasted = 8;

void append_form(const LossInputs& batch, std::vector<int64_t>& form) {
  for (size_t i = 0; i < batch.size(); ++i) {
    form.push_back(batch.is_list(i) ? static_cast<int64_t>(batch.list(i).size())
                                    : -1);
  }
  for_each_variable(batch, [&](const Variable& variable) {
    const Array& x = variable.data();
    form.insert(form.end(),
                {static_cast<int64_t>(x.device().backend()), x.device().index(),
                 static_cast<int64_t>(x.dtype()), x.ndim()});
    form.insert(form.end(), x.shape().begin(), x.shape().end());
    // The layout of channels decides between kernels.
    form.insert(form.end(), x.strides().begin(), x.strides().end());
  });
}

// Records which functions are called, and with what shapes and views: an array
// of the model or of a function from its start, one of the minibatch from where
// the field starts, which may be anywhere in a data set.
class FunctionRecorder final : public FunctionHook {
 public:
  FunctionRecorder(WorkRecord& record, const LossInputs& batch)
      : record_(record) {
    for_each_variable(batch, [&](const Variable& variable) {
      fields_.push_back(variable.data().raw_data());
    });
  }
  std::string_view name() const override { return "CapturedSteps"; }

  void forward_preprocess(const FunctionNode& function,
                          const Arrays& inputs) override {
    uint64_t hash = work_hash({inputs.size()});
    for (const Array& x : inputs) hash = combined(hash, x);
    record_.enter(function.label(), hash);
  }
  void forward_postprocess(const FunctionNode& /*function*/,
                           const Arrays& /*inputs*/) override {
    record_.leave();
  }
  void backward_preprocess(const FunctionNode& function,
                           const Variables& grad_outputs) override {
    uint64_t hash = work_hash({grad_outputs.size(), 1});
    for (const Variable& gy : grad_outputs) {
      hash = combined(hash, gy.defined() ? gy.data() : Array());
    }
    record_.enter(function.label(), hash);
  }
  void backward_postprocess(const FunctionNode& /*function*/,
                            const Variables& /*grad_outputs*/) override {
    record_.leave();
  }

 private:
  uint64_t combined(uint64_t hash, const Array& x) const {
    if (!x.defined()) return work_hash({hash});
    for (int axis = 0; axis < x.ndim(); ++axis) {
      hash = work_hash({hash, static_cast<uint64_t>(x.shape()[axis]),
                        static_cast<uint64_t>(x.strides()[axis])});
    }
    return work_hash({hash, static_cast<uint64_t>(x.dtype()), offset_of(x)});
  }
  uint64_t offset_of(const Array& x) const {
    const char* start = x.storage()->data();
    for (const char* field : fields_) {
      if (field <= x.raw_data()) start = std::max(start, field);
    }
    return static_cast<uint64_t>(x.raw_data() - start);
  }

  WorkRecord& record_;
  std::vector<const char*> fields_;
};

// Reports are those of the step alone, so theirs is the innermost part.
CaptureParticipants participants_of(const Optimizer& optimizer) {
  CaptureParticipants all;
  all.push_back(internal::optimizer_in_capture(optimizer));
  all.push_back(internal::model_in_capture(
      [&optimizer]() -> Link& { return optimizer.target(); }));
  all.push_back(internal::config_in_capture());
  all.push_back(array::random::generators_in_capture());
  all.push_back(internal::reports_in_capture());
  return all;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

// The steps on minibatches of one form.
struct CapturedSteps::Steps {
  Form form;
  WorkRecord last = {};   // of the last ordinary step before the capture
  int64_t count = 0;      // of steps before the capture, or from it on
  bool is_ready = false;  // for the capture: two steps have done the same
  std::unique_ptr<StepGraph> graph = nullptr;
};

CapturedSteps::CapturedSteps(Optimizer& optimizer, LossFunction loss_function,
                             Capture capture)
    : optimizer_(optimizer),
      loss_function_(std::move(loss_function)),
      capture_(capture),
      participants_(participants_of(optimizer)) {}

CapturedSteps::~CapturedSteps() = default;

const LossFunction& CapturedSteps::loss_function() const {
  return loss_function_ ? loss_function_ : optimizer_.loss_function();
}

void CapturedSteps::take_step(const LossInputs& batch) const {
  optimizer_.update(loss_function(), batch);
}

size_t CapturedSteps::n_graphs() const {
  return static_cast<size_t>(std::ranges::count_if(
      steps_, [](const Steps& steps) { return steps.graph != nullptr; }));
}

void CapturedSteps::update(const LossInputs& batch) {
  const std::optional<Device> device = device_of_step(batch);
  if (!device) {
    take_step(batch);
    return;
  }
  const catena::internal::OwnAutocastCopies copies;
  if (!obstacle_.empty()) {  // kAlways
    raise<NotImplementedError>(
        "CapturedSteps: expected steps that can be captured, got some that "
        "can't: ",
        obstacle_);
  }
  drop_changed_graphs();
  if (!obstacle_.empty()) return take_step(batch);
  Steps& steps = steps_of(batch);
  if (steps.graph != nullptr) {
    if ((steps.count + 1) % kCheckInterval == 0) {
      check(steps, batch);
    } else {
      steps.graph->launch(batch);
      count_launch(steps);
    }
  } else if (n_graphs() == kMaxGraphs) {
    take_step(batch);
  } else if (steps.is_ready) {
    capture(steps, *device, batch);
  } else {
    warm_up(steps, *device, batch);
  }
}

// The GPU of a step that may be captured; nothing for a step that is an
// ordinary one whatever it does.
std::optional<Device> CapturedSteps::device_of_step(
    const LossInputs& batch) const {
  const bool is_auto = capture_ == Capture::kAuto;
  if (capture_ == Capture::kNever || (is_auto && !obstacle_.empty())) return {};
  std::optional<Device> device;
  for (const auto& [path, param] : optimizer_.parameters()) {
    if (!param.is_initialized()) continue;
    device = param.device();
    break;
  }
  if (!device) {
    for_each_variable(batch, [&](const Variable& variable) {
      if (!device) device = variable.device();
    });
  }
  if (!device || !can_capture(*device) || config().debug) return {};
  if (current_capture() != nullptr) return {};
  if (is_auto &&
      (!thread_function_hooks().empty() || !thread_link_hooks().empty() ||
       config().keep_graph_on_report)) {
    return {};
  }
  return device;
}

std::vector<uint64_t>& CapturedSteps::present_key() {
  now_.clear();
  for (const auto& participant : participants_) participant->append_key(now_);
  return now_;
}

// Graphs that have become wrong are dropped: all, since what they depend on is
// the same, and so that their memory is free for the next ones.
void CapturedSteps::drop_changed_graphs() {
  if (n_graphs() == 0 || present_key() == key_) return;
  int64_t launches = 0;
  for (const Steps& steps : steps_) {
    if (steps.graph != nullptr) launches += steps.count;
  }
  steps_.clear();
  wasted_ = launches < kWorthwhile ? wasted_ + 1 : 0;
  if (wasted_ == kMaxWasted && capture_ == Capture::kAuto) {
    end("parameters, persistent arrays, states or the config change again and "
        "again, after fewer steps than a capture is worth");
  }
}

CapturedSteps::Steps& CapturedSteps::steps_of(const LossInputs& batch) {
  form_.clear();
  append_form(batch, form_);
  const auto found = std::ranges::find(steps_, form_, &Steps::form);
  if (found != steps_.end()) return *found;
  if (steps_.size() == kMaxForms) {
    steps_.erase(std::ranges::find_if(
        steps_, [](const Steps& steps) { return steps.graph == nullptr; }));
  }
  return steps_.emplace_back(Steps{.form = form_});
}

// Empty if the model and the minibatch are on one device.
std::string CapturedSteps::device_obstacle(Device device,
                                           const LossInputs& batch) const {
  std::string obstacle;
  const auto check = [&](Device found, const auto&... what) {
    if (found == device || !obstacle.empty()) return;
    obstacle = str("expected the model and its minibatches on one GPU, ",
                   device, ", got ", what..., " on ", found);
  };
  for (const auto& [path, param] :
       optimizer_.target().namedparams(/*include_uninit=*/false)) {
    check(param.device(), "parameter ", path);
  }
  for_each_variable(batch, [&](const Variable& variable) {
    check(variable.device(), "a field of the minibatch");
  });
  return obstacle;
}

std::string CapturedSteps::participants_obstacle() const {
  for (const auto& participant : participants_) {
    std::string obstacle = participant->obstacle();
    if (!obstacle.empty()) return obstacle;
  }
  return {};
}

void CapturedSteps::record_step(const LossInputs& batch, WorkRecord& record,
                                bool is_between_launches) const {
  std::function<void()> step = [&] {
    FunctionRecorder recorder(record, batch);
    const FunctionHookScope functions(recorder);
    const WorkRecordScope scope(&record);
    take_step(batch);
  };
  for (const auto& participant : participants_) {
    step = [&record, &each = *participant, inner = std::move(step)] {
      each.record(inner, record);
    };
  }
  if (is_between_launches) {
    for (const auto& participant : participants_) {
      step = [&each = *participant, inner = std::move(step)] {
        each.carry_on(inner);
      };
    }
  }
  step();
}

void CapturedSteps::warm_up(Steps& steps, Device device,
                            const LossInputs& batch) {
  const bool is_auto = capture_ == Capture::kAuto;
  std::string obstacle = device_obstacle(device, batch);
  if (!is_auto && !obstacle.empty()) {
    raise<DeviceError>("CapturedSteps: ", obstacle);
  }
  if (is_auto && obstacle.empty()) obstacle = participants_obstacle();
  if (!obstacle.empty()) {
    take_step(batch);
    return end(obstacle);
  }
  WorkRecord record;
  record_step(batch, record, /*is_between_launches=*/false);
  if (is_auto && !record.forbidden().empty()) {
    return end("the loss function can't be captured: " + record.forbidden());
  }
  ++steps.count;
  if (steps.count > 1) {
    const auto difference =
        steps.last.difference(record, /*is_first_call=*/steps.count == 2);
    steps.is_ready = !difference;
    if (steps.count == kMaxWarmUps && difference) {
      return end("steps do not do the same, as the last two show " +
                 *difference);
    }
  }
  steps.last = std::move(record);
}

void CapturedSteps::capture(Steps& steps, Device device,
                            const LossInputs& batch) {
  const auto other = std::ranges::find_if(
      steps_, [](const Steps& each) { return each.graph != nullptr; });
  key_ = present_key();
  try {
    steps.graph = std::make_unique<StepGraph>(
        participants_, [this](const LossInputs& copy) { take_step(copy); },
        batch, device, other != steps_.end() ? other->graph.get() : nullptr);
  } catch (const std::exception& error) {
    if (capture_ != Capture::kAuto) throw;
    // Memory may have run out: drop what was captured before.
    const std::string why = first_line(error.what());
    steps_.clear();
    take_step(batch);  // throws what is wrong with it
    return end("the capture failed: " + why);
  }
  steps.count = 0;
  count_launch(steps);
}

void CapturedSteps::count_launch(Steps& steps) {
  ++steps.count;
  if (steps.graph->is_spent()) steps_.clear();
}

void CapturedSteps::check(Steps& steps, const LossInputs& batch) {
  WorkRecord record;
  record_step(batch, record, /*is_between_launches=*/true);
  ++steps.count;
  std::optional<std::string> difference =
      steps.last.difference(record, /*is_first_call=*/false);
  if (!difference && capture_ == Capture::kAuto &&
      !record.forbidden().empty()) {
    difference = record.forbidden();
  }
  if (!difference) return;
  end(str("the loss function does not do the same in each step: step ",
          optimizer_.t(), " differs from those before the capture ",
          *difference, "; steps since step ", optimizer_.t() - kCheckInterval,
          " may have done what was captured instead"));
}

void CapturedSteps::end(std::string_view why) {
  steps_.clear();
  obstacle_ = why;
  if (capture_ != Capture::kAuto) return;
  std::cerr << "CapturedSteps: from now on steps are not captured in CUDA "
               "graphs: " +
                   obstacle_ + " (Capture::kNever says so without a line)\n"
            << std::flush;
}

}  // namespace catena::training
