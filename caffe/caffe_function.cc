#include "catena/caffe/caffe_function.h"

#include <new>
#include <utility>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/autograd/config.h"
#include "catena/caffe/program.h"
#include "catena/links/link_hook.h"

namespace catena::caffe {
namespace {

// The last use of a blob that is an output.
constexpr int kOutput = INT32_MAX;

// The bottoms of a step, moved out of `values` at their last use.
Variables take(const Step& step, int index, const std::vector<int>& last_use,
               std::vector<Variable>& values) {
  Variables bottoms;
  for (const int bottom : step.bottoms) bottoms.push_back(values[bottom]);
  for (const int bottom : step.bottoms) {
    if (last_use[bottom] == index) values[bottom] = {};
  }
  return bottoms;
}

bool has_hooks(const Link& link) {
  return !link.local_link_hooks().empty() || !thread_link_hooks().empty();
}

}  // namespace

CaffeFunction::CaffeFunction(const std::string& path,
                             const CaffeOptions& options) try
    : CaffeFunction(NetDefinition::open(path, options.limits), options) {
} catch (const std::bad_alloc&) {
  raise_out_of_memory("CaffeFunction");
}

CaffeFunction CaffeFunction::from_bytes(std::span<const char> bytes,
                                        const CaffeOptions& options) try {
  return CaffeFunction(NetDefinition::from_bytes(bytes, options.limits),
                       options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("CaffeFunction");
}

CaffeFunction::CaffeFunction(const NetDefinition& net,
                             const CaffeOptions& options) {
  Program program = compile(net, options);
  const Device device = current_device();
  {
    const DeviceScope scope(native_device());
    for (Step& step : program.steps) {
      if (step.layer.add_link == nullptr) continue;
      step.layer.add_link(*this, step.name);
      step.layer.add_link = nullptr;  // releases the values it holds
    }
  }
  program_ = std::make_shared<const Program>(std::move(program));
  to_device(device);
}

const ImportPlan& CaffeFunction::plan() const { return program_->plan; }

std::vector<int> CaffeFunction::blob_ids(
    const std::vector<std::string>& names) const {
  std::vector<int> result;
  for (const std::string& name : names) {
    const auto found = program_->blob_ids.find(name);
    if (found == program_->blob_ids.end()) {
      raise<ValueError>(program_->plan.file, ": there is no blob ",
                        array::quote(name));
    }
    result.push_back(found->second);
  }
  return result;
}

template <class Compute>
Variables CaffeFunction::guarded(const Step& step,
                                 const Compute& compute) const {
  try {
    return compute();
  } catch (Error& error) {
    error.prepend(str(program_->plan.file, ": ", step.label, ": "));
    throw;
  }
}

Variables CaffeFunction::run(const Step& step, const Variables& bottoms,
                             const std::vector<Link*>& links) const {
  return guarded(step, [&] {
    return step.layer.forward(bottoms,
                              step.child < 0 ? nullptr : links[step.child]);
  });
}

Variables CaffeFunction::run_fused(const Step& step, const Variables& bottoms,
                                   const std::vector<Link*>& links) const {
  const Step& next = *(&step + 1);
  return guarded(step, [&] {
    return step.layer.fused_forward(bottoms, links[step.child],
                                    links[next.child]);
  });
}

// Not if the top in between is an output or link hooks are active.
bool CaffeFunction::may_fuse(int index, const std::vector<int>& last_use,
                             const std::vector<Link*>& links) const {
  const Step& step = program_->steps[index];
  const Step& next = program_->steps[index + 1];
  return (next.tops == step.tops || last_use[step.tops[0]] != kOutput) &&
         !has_hooks(*links[step.child]) && !has_hooks(*links[next.child]);
}

std::vector<Variable> CaffeFunction::forward(
    const Blobs& inputs, const std::vector<std::string>& outputs,
    const CaffeCallOptions& options) {
  const bool train = options.train.value_or(config().train);
  if (!program_->problem(train).empty() && program_->plan.is_complete()) {
    raise<ValueError>(program_->plan.file, ": phase ", train ? "TRAIN" : "TEST",
                      ": ", program_->problem(train));
  }
  std::vector<std::string> input_names;
  for (const auto& [name, x] : inputs) input_names.push_back(name);
  const std::vector<int> input_ids = blob_ids(input_names);
  const std::vector<int> output_ids = blob_ids(outputs);
  const std::vector<int> needed =
      needed_steps(*program_, train, input_ids, output_ids, options.disable);

  // Values are released as soon as no step needs them.
  std::vector<int> last_use(program_->blobs.size(), -1);
  for (const int i : needed) {
    for (const int bottom : program_->steps[i].bottoms) last_use[bottom] = i;
  }
  for (const int output : output_ids) last_use[output] = kOutput;

  const auto scope = using_config(&Config::train, train);
  const std::vector<Link*> links = children();
  std::vector<Variable> values(program_->blobs.size());
  for (size_t i = 0; i < input_ids.size(); ++i) {
    values[input_ids[i]] = inputs.at(input_names[i]);
  }
  for (size_t k = 0; k < needed.size(); ++k) {
    const int i = needed[k];
    const Step& step = program_->steps[i];
    const Variables bottoms = take(step, i, last_use, values);
    const bool fuses = step.fuses_with_next && k + 1 < needed.size() &&
                       needed[k + 1] == i + 1 && may_fuse(i, last_use, links);
    const Variables tops =
        fuses ? run_fused(step, bottoms, links) : run(step, bottoms, links);
    const Step& last = fuses ? program_->steps[needed[++k]] : step;
    for (size_t t = 0; t < last.tops.size(); ++t) {
      values[last.tops[t]] = tops[t];
    }
  }
  std::vector<Variable> result;
  for (const int output : output_ids) result.push_back(values[output]);
  return result;
}

CaffeFunction::Forwards CaffeFunction::forwards() {
  Forwards result;
  for (const Step& step : program_->steps) {
    if (!step.refusal.empty()) continue;
    result[step.name] = [this, &step](const Variables& bottoms) {
      if (bottoms.size() != step.bottoms.size()) {
        raise<ValueError>(program_->plan.file, ": ", step.label, ": expected ",
                          step.bottoms.size(), " bottoms, got ",
                          bottoms.size());
      }
      return run(step, bottoms, children());
    };
  }
  return result;
}

}  // namespace catena::caffe
