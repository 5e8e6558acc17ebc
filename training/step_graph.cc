#include "catena/training/step_graph.h"

#include <optional>
#include <string>

#include "catena/array/concatenate.h"
#include "catena/array/random/random.h"
#include "catena/links/reporter.h"

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

bool is_same_memory(const Array& a, const Array& b) {
  return a.defined() && b.defined() && a.raw_data() == b.raw_data();
}

// Calls a function, and returns what it reports, which goes nowhere else.
Observation reported_by(const std::function<void()>& f) {
  Observation observation;
  if (find_current_reporter() == nullptr) {
    f();
  } else {
    const auto scope = report_scope(observation);
    f();
  }
  return observation;
}

// What the host's part of a step changes, whatever the device does.
class HostState {
 public:
  HostState(Optimizer& optimizer, Device device)
      : optimizer_(optimizer),
        kept_(kept_arrays(optimizer.target())),
        scalars_(optimizer.target().persistent_scalars()) {
    for (const Array& array : kept_) {
      const bool is_on_host =
          array.defined() && array.device().shares_host_memory();
      on_host_.push_back(is_on_host ? array.copy() : Array());
    }
    for (const auto& [path, param] : optimizer.parameters()) {
      grads_.push_back(param.grad());
    }
    for (const Device each : {native_device(), device}) {
      generators_.emplace_back(each, array::random::generator(each).state());
    }
  }

  void restore() const {
    Link& target = optimizer_.target();
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (on_host_[i].defined()) kept_[i].assign(on_host_[i]);
    }
    if (kept_arrays(target).size() == kept_.size()) {
      set_kept_arrays(target, kept_);
    }
    if (target.persistent_scalars().size() == scalars_.size()) {
      target.set_persistent_scalars(scalars_);
    }
    for (size_t i = 0; i < grads_.size(); ++i) {
      const Parameter& param = optimizer_.parameters()[i].second;
      if (grads_[i].defined()) {
        param.set_grad(grads_[i]);
      } else {
        param.cleargrad();
      }
    }
    for (const auto& [device, state] : generators_) {
      array::random::generator(device).set_state(state);
    }
  }

 private:
  Optimizer& optimizer_;
  std::vector<Array> kept_;
  std::vector<Array> on_host_;  // copies of those that are there
  std::vector<PersistentScalar> scalars_;
  std::vector<Array> grads_;
  std::vector<std::pair<Device, array::random::GeneratorState>> generators_;
};

}  // namespace

std::vector<Array> kept_arrays(Link& model) {
  std::vector<Array> arrays;
  for (const Array* array : model.persistents()) arrays.push_back(*array);
  for (const Variable* state : model.states()) {
    arrays.push_back(state->defined() ? state->data() : Array());
  }
  return arrays;
}

void set_kept_arrays(Link& model, const std::vector<Array>& arrays) {
  size_t next = 0;
  for (Array* array : model.persistents()) *array = arrays.at(next++);
  for (Variable* state : model.states()) {
    const Array& array = arrays.at(next++);
    *state = array.defined() ? as_variable(array) : Variable();
  }
}

void carry_on(Link& model, const std::function<void()>& step) {
  const std::vector<Array> before = kept_arrays(model);
  set_kept_arrays(model, before);
  step();
  std::vector<Array> after = kept_arrays(model);
  for (size_t i = 0; i < before.size(); ++i) {
    const Array& old = before[i];
    if (!old.defined() || !after.at(i).defined() ||
        is_same_memory(after[i], old) || after[i].shape() != old.shape() ||
        after[i].dtype() != old.dtype()) {
      continue;
    }
    old.assign(after[i]);
    after[i] = old;
  }
  set_kept_arrays(model, after);
}

Reported::Reported(const Observation& values) {
  std::vector<std::pair<Dtype, std::vector<Array>>> scalars;
  for (const auto& [name, value] : values) {
    const Array array = value.array();
    if (!array.defined()) {
      values_.push_back({name, value});
    } else if (array.ndim() > 0 || array.device().shares_host_memory()) {
      values_.push_back({name, weighted(array, value.weight())});
    } else {
      size_t group = 0;
      while (group < scalars.size() && scalars[group].first != array.dtype()) {
        ++group;
      }
      if (group == scalars.size()) scalars.push_back({array.dtype(), {}});
      std::vector<Array>& same = scalars[group].second;
      values_.push_back({name, weighted(0.0, value.weight()), group,
                         static_cast<int64_t>(same.size())});
      same.push_back(array);
    }
  }
  for (const auto& [dtype, arrays] : scalars) {
    stacked_.push_back(array::stack(arrays));
  }
}

void Reported::report() const {
  if (values_.empty()) return;
  std::vector<Array> copies;
  for (const Array& array : stacked_) copies.push_back(array.copy());
  Observation now;
  for (const auto& [name, value, group, index] : values_) {
    Array array = value.array();
    if (index >= 0) {
      array = copies[group][index];
    } else if (array.defined()) {
      array = array.copy();
    }
    now.set(name, array.defined() ? weighted(array, value.weight()) : value);
  }
  catena::report(now);
}

StepGraph::StepGraph(Optimizer& optimizer, const LossFunction& loss_function,
                     const LossInputs& batch, Device device,
                     const StepGraph* other)
    : optimizer_(optimizer), inputs_(copy_of(batch)) {
  const HostState before(optimizer, device);
  const auto step = [&] {
    carry_on(optimizer.target(), [&] {
      reported_ = Reported(
          reported_by([&] { optimizer.update(loss_function, inputs_); }));
    });
  };
  try {
    work_ = capture_work(device, step,
                         other != nullptr ? other->work_.get() : nullptr);
  } catch (...) {
    before.restore();
    throw;
  }
  kept_ = kept_arrays(optimizer.target());
  for (const auto& [path, param] : optimizer.parameters()) {
    if (param.is_initialized()) grads_.emplace_back(param, param.grad());
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
  work_->launch();
  set_kept_arrays(optimizer_.target(), kept_);
  for (const auto& [param, grad] : grads_) {
    if (is_same_memory(param.grad(), grad)) continue;
    if (grad.defined()) {
      param.set_grad(grad);
    } else {
      param.cleargrad();
    }
  }
  reported_.report();
}

}  // namespace catena::training
