#include "catena/training/captured_steps.h"

#include <algorithm>
#include <string>

#include "catena/array/concatenate.h"
#include "catena/links/reporter.h"

namespace catena::training {
namespace {

// Enough for the lengths of buckets; more forms are captured by chance.
constexpr size_t kMaxSeen = 64;

// Calls visit(variable) for each variable of a minibatch, in order.
template <class Visit>
void for_each_variable(const LossInputs& batch, const Visit& visit) {
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch.is_list(i)) {
      for (const Variable& variable : batch.list(i)) visit(variable);
    } else {
      visit(batch[i]);
    }
  }
}

std::vector<int64_t> form_of(const LossInputs& batch) {
  std::vector<int64_t> form;
  for (size_t i = 0; i < batch.size(); ++i) {
    form.push_back(batch.is_list(i) ? static_cast<int64_t>(batch.list(i).size())
                                    : -1);
  }
  for_each_variable(batch, [&](const Variable& variable) {
    const Array& x = variable.data();
    form.push_back(static_cast<int64_t>(x.dtype()));
    form.push_back(x.ndim());
    form.insert(form.end(), x.shape().begin(), x.shape().end());
    // The layout of channels decides between kernels.
    form.insert(form.end(), x.strides().begin(), x.strides().end());
  });
  return form;
}

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

uint64_t address_of(const Array& array) {
  return array.defined() ? reinterpret_cast<uintptr_t>(array.raw_data()) : 0;
}

// Calls a function, and returns what it reports, which goes nowhere else.
template <class F>
Observation reported_by(const F& f) {
  Observation observation;
  if (find_current_reporter() == nullptr) {
    f();
  } else {
    const auto scope = report_scope(observation);
    f();
  }
  return observation;
}

// Where the step put a new array in the place of an old one, each launch writes
// it to the old one, from which the next launch reads. What has another shape
// is not carried on: after it the graph no longer fits.
void carry_on(const std::vector<Array>& before, std::vector<Array>& after) {
  for (size_t i = 0; i < before.size(); ++i) {
    const Array& old = before[i];
    if (!old.defined() || !after.at(i).defined() ||
        address_of(after[i]) == address_of(old) ||
        after[i].shape() != old.shape() || after[i].dtype() != old.dtype()) {
      continue;
    }
    old.assign(after[i]);
    after[i] = old;
  }
}

// What a step reported, in memory that each launch overwrites. Scalars are
// copied together.
class Reported {
 public:
  Reported() = default;
  // In the capture.
  explicit Reported(const Observation& values) {
    std::vector<std::pair<Dtype, std::vector<Array>>> scalars;
    for (const auto& [name, value] : values) {
      const Array array = value.array();
      if (!array.defined()) {
        others_.set(name, value);
      } else if (array.ndim() > 0 || array.device().is_native()) {
        others_.set(name, array);
      } else {
        size_t group = 0;
        while (group < scalars.size() &&
               scalars[group].first != array.dtype()) {
          ++group;
        }
        if (group == scalars.size()) scalars.push_back({array.dtype(), {}});
        std::vector<Array>& same = scalars[group].second;
        places_.push_back({name, group, static_cast<int64_t>(same.size())});
        same.push_back(array);
      }
    }
    for (const auto& [dtype, arrays] : scalars) {
      stacked_.push_back(array::stack(arrays));
    }
  }

  // After a launch.
  void report() const {
    if (places_.empty() && others_.empty()) return;
    std::vector<Array> copies;
    for (const Array& array : stacked_) copies.push_back(array.copy());
    Observation now;
    for (const Place& place : places_) {
      now.set(place.name, copies[place.group][place.index]);
    }
    for (const auto& [name, value] : others_) {
      const Array array = value.array();
      now.set(name, array.defined() ? ObservedValue(array.copy()) : value);
    }
    catena::report(now);
  }

 private:
  struct Place {
    std::string name;
    size_t group;
    int64_t index;
  };
  std::vector<Place> places_;
  std::vector<Array> stacked_;
  Observation others_;
};

}  // namespace

struct CapturedSteps::Graph {
  Form form;
  Key key;
  LossInputs inputs;
  Reported reported = {};
  std::vector<std::pair<Parameter, Array>> grads = {};
  std::vector<Array> kept = {};  // as the step leaves it
  std::unique_ptr<CapturedWork> work = nullptr;
};

CapturedSteps::CapturedSteps(Optimizer& optimizer, LossFunction loss_function)
    : optimizer_(optimizer),
      loss_function_(loss_function ? std::move(loss_function)
                                   : optimizer.loss_function()) {}

CapturedSteps::~CapturedSteps() = default;

void CapturedSteps::update(const LossInputs& batch) {
  const std::vector<Parameter> params = optimizer_.target().params(false);
  const bool captures = !params.empty() && !config().debug &&
                        can_capture(params.front().device());
  if (!captures) {
    optimizer_.update(loss_function_, batch);
    return;
  }
  check_devices(params.front().device(), batch);
  const Form form = form_of(batch);
  if (Graph* graph = find_graph(form)) return launch(*graph, batch);
  const bool is_known = std::ranges::find(seen_, form) != seen_.end();
  if (is_known && graphs_.size() < kMaxGraphs) {
    return launch(*capture(form, batch), batch);
  }
  optimizer_.update(loss_function_, batch);
  if (is_known) return;
  if (seen_.size() == kMaxSeen) seen_.erase(seen_.begin());
  seen_.push_back(form);
}

// A graph that has become wrong is dropped.
CapturedSteps::Graph* CapturedSteps::find_graph(const Form& form) {
  const auto graph = std::ranges::find(graphs_, form, &Graph::form);
  if (graph == graphs_.end()) return nullptr;
  if (graph->key == current_key()) return &*graph;
  graphs_.erase(graph);
  std::erase(seen_, form);
  return nullptr;
}

CapturedSteps::Key CapturedSteps::current_key() const {
  Key key = optimizer_.capture_key();
  for (const Array& array : kept_arrays()) key.push_back(address_of(array));
  const Config& now = config();
  for (const bool flag :
       {now.train, now.enable_backprop, now.keep_graph_on_report,
        now.lazy_grad_sum, now.cudnn_deterministic, now.autotune,
        now.use_cudnn_graph, now.dtype.is_mixed16()}) {
    key.push_back(flag);
  }
  key.insert(key.end(), {static_cast<uint64_t>(Dtype(now.dtype)),
                         static_cast<uint64_t>(now.use_cudnn),
                         static_cast<uint64_t>(now.use_cudnn_tensor_core)});
  return key;
}

void CapturedSteps::check_devices(Device device,
                                  const LossInputs& batch) const {
  const auto check = [&](Device found, const auto&... what) {
    if (found == device) return;
    raise<DeviceError>(
        "CapturedSteps: expected the model and its minibatches "
        "on one GPU, ",
        device, ", got ", what..., " on ", found);
  };
  for (const auto& [path, param] : optimizer_.target().namedparams(false)) {
    check(param.device(), "parameter ", path);
  }
  for_each_variable(batch, [&](const Variable& variable) {
    check(variable.device(), "a field of the minibatch");
  });
}

CapturedSteps::Graph* CapturedSteps::capture(const Form& form,
                                             const LossInputs& batch) {
  Graph graph{.form = form, .key = current_key(), .inputs = copy_of(batch)};
  Link& target = optimizer_.target();
  const std::vector<Array> before = kept_arrays();
  const auto step = [&] {
    set_kept_arrays(before);  // states without their graph
    graph.reported = Reported(
        reported_by([&] { optimizer_.update(loss_function_, graph.inputs); }));
    graph.kept = kept_arrays();
    carry_on(before, graph.kept);
  };
  try {
    graph.work = capture_work(target.params(false).front().device(), step);
  } catch (...) {
    if (kept_arrays().size() == before.size()) set_kept_arrays(before);
    throw;
  }
  for (const Parameter& param : target.params(false)) {
    graph.grads.emplace_back(param, param.grad());
  }
  return &graphs_.emplace_back(std::move(graph));
}

// What the model keeps from step to step besides parameters: persistent arrays,
// then states.
std::vector<Array> CapturedSteps::kept_arrays() const {
  std::vector<Array> arrays;
  for (const Array* array : optimizer_.target().persistents()) {
    arrays.push_back(*array);
  }
  for (const Variable* state : optimizer_.target().states()) {
    arrays.push_back(state->defined() ? state->data() : Array());
  }
  return arrays;
}

void CapturedSteps::set_kept_arrays(const std::vector<Array>& arrays) const {
  size_t next = 0;
  for (Array* array : optimizer_.target().persistents()) {
    *array = arrays.at(next++);
  }
  for (Variable* state : optimizer_.target().states()) {
    const Array& array = arrays.at(next++);
    *state = array.defined() ? as_variable(array) : Variable();
  }
}

void CapturedSteps::launch(Graph& graph, const LossInputs& batch) {
  std::vector<Array> inputs;
  for_each_variable(graph.inputs, [&](const Variable& variable) {
    inputs.push_back(variable.data());
  });
  size_t next = 0;
  for_each_variable(batch, [&](const Variable& variable) {
    inputs[next++].assign(variable.data());
  });
  graph.work->launch();
  set_kept_arrays(graph.kept);
  for (const auto& [param, grad] : graph.grads) {
    if (address_of(param.grad()) == address_of(grad)) continue;
    if (grad.defined()) {
      param.set_grad(grad);
    } else {
      param.cleargrad();
    }
  }
  graph.reported.report();
}

}  // namespace catena::training
