#include "catena/training/step_graph.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace catena::training {
namespace {

LossInputs copy_of(const LossInputs& batch) {
  LossInputs result;
  const auto copied = [](const Variable& variable) {
    return as_variable(variable.data().copy());
  };
  for (size_t i = 0; i < batch.size(); ++i) {
    if (!batch.is_list(i)) {
      result.add(copied(batch[i]));
      continue;
    }
    std::vector<Variable> list;
    for (const Variable& variable : batch.list(i)) {
      list.push_back(copied(variable));
    }
    result.add(std::move(list));
  }
  return result;
}

}  // namespace

StepGraph::StepGraph(const CaptureParticipants& participants,
                     const std::function<void(const LossInputs& batch)>& step,
                     const LossInputs& batch, Device device,
                     const StepGraph* other)
    : inputs_(copy_of(batch)) {
  std::vector<std::function<void()>> restores;
  std::function<void()> captured = [&] { step(inputs_); };
  for (const auto& participant : participants) {
    if (auto restore = participant->save(device)) {
      restores.push_back(std::move(restore));
    }
    if (auto part = participant->part()) parts_.push_back(std::move(part));
  }
  // The first one is the outermost.
  for (size_t i = parts_.size(); i-- > 0;) {
    captured = [&part = *parts_[i], inner = std::move(captured)] {
      part.capture(inner);
    };
  }
  try {
    work_ = capture_work(device, captured,
                         other != nullptr ? other->work_.get() : nullptr);
    launch(batch);
  } catch (...) {
    for (const auto& restore : restores) restore();
    throw;
  }
}

void StepGraph::launch(const LossInputs& batch) {
  std::vector<Array> inputs;
  for_each_variable(inputs_, [&](const Variable& variable) {
    inputs.push_back(variable.data());
  });
  size_t next = 0;
  for_each_variable(batch, [&](const Variable& variable) {
    inputs[next++].assign(variable.data());
  });
  for (const auto& part : parts_) part->before_launch();
  work_->launch();
  for (const auto& part : parts_) part->after_launch();
}

bool StepGraph::is_spent() const {
  return std::ranges::any_of(parts_,
                             [](const auto& part) { return part->is_spent(); });
}

}  // namespace catena::training
