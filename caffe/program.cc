#include "catena/caffe/program.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/caffe/layer_table.h"
#include "catena/caffe/net.pb.h"

namespace catena::caffe {
namespace {

using array::quote;
using Status = PlannedLayer::Status;

std::string join(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) {
    result += str(result.empty() ? "" : ", ", quote(name));
  }
  return result.empty() ? "none" : result;
}

std::string count_text(int min, int max) {
  if (max == INT32_MAX) return str("at least ", min);
  if (min == max) return std::to_string(min);
  return str(min, " to ", max);
}

void expect_count(const char* what, size_t count, int min, int max) {
  if (count >= static_cast<size_t>(min) && count <= static_cast<size_t>(max)) {
    return;
  }
  raise<ValueError>("expected ", count_text(min, max), " ", what, ", got ",
                    count);
}

// Layers with equal keys have equal type parameters and blob shapes, so that
// they can share one link. Empty if the layer shares no parameters.
std::string sharing_key(const LayerDefinition& layer) {
  std::string result = layer.type + "\n";
  for (const std::string& name : layer.param_names) {
    if (name.empty()) return "";
    result += quote(name);
  }
  if (layer.blobs.empty() || layer.param_names.size() != layer.blobs.size()) {
    return "";
  }
  for (const BlobDefinition& blob : layer.blobs) {
    result += to_string(blob.shape);
  }
  const google::protobuf::Reflection& reflection =
      *layer.message->GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(*layer.message, &fields);
  for (const auto* const field : fields) {
    // "convolution_param" and the like.
    if (field->is_repeated() || field->message_type() == nullptr) continue;
    result +=
        str(field->name(), "\n",
            reflection.GetMessage(*layer.message, field).SerializeAsString());
  }
  return result;
}

class Compiler {
 public:
  Compiler(const NetDefinition& net, const CaffeOptions& options)
      : net_(net), options_(options) {}

  Program compile() {
    ImportPlan& plan = program_.plan;
    plan.file = net_.where;
    plan.net = net_.name;
    plan.generation = net_.generation;
    for (const InputDefinition& input : net_.inputs) add_input(input);
    for (const LayerDefinition& layer : net_.layers) add_layer(layer);
    for (size_t i = 0; i + 1 < program_.steps.size(); ++i) {
      program_.steps[i].fuses_with_next = fuses(i);
    }
    plan.train_problem = problem_of_phase(true);
    plan.test_problem = problem_of_phase(false);
    if (!plan.train_problem.empty() && !plan.test_problem.empty() &&
        options_.strict) {
      raise<IoError>(net_.where, ": ", plan.test_problem);
    }
    return std::move(program_);
  }

 private:
  int blob(const std::string& name) {
    const auto [found, is_new] = program_.blob_ids.emplace(
        name, static_cast<int>(program_.blobs.size()));
    if (is_new) program_.blobs.push_back(name);
    return found->second;
  }

  void add_input(const InputDefinition& input) {
    if (!inputs_.insert(blob(input.name)).second) return;
    program_.plan.inputs.push_back(input);
  }

  std::string unique_name(const LayerDefinition& layer) {
    const std::string stem = layer.name.empty()
                                 ? str("layer", program_.plan.layers.size())
                                 : layer.name;
    std::string name = stem;
    // Not from 2 each time: a file may have many layers of one name.
    int& next = next_numbers_.try_emplace(stem, 2).first->second;
    while (!names_.insert(name).second) name = str(stem, "_", next++);
    return name;
  }

  void add_layer(const LayerDefinition& layer) {
    PlannedLayer planned = {.name = unique_name(layer),
                            .type = layer.type,
                            .bottoms = layer.bottoms,
                            .tops = layer.tops};
    for (const BlobDefinition& blob : layer.blobs) {
      planned.parameters += blob.count;
    }
    try {
      planned.in_train = layer.is_in({true, options_.level, options_.stages});
      planned.in_test = layer.is_in({false, options_.level, options_.stages});
    } catch (const ValueError& error) {
      raise<IoError>(net_.where, ": ", error.what());
    }
    if (!ignore(layer, planned)) add_step(layer, planned);
    program_.plan.layers.push_back(std::move(planned));
  }

  // Whether the layer computes nothing.
  bool ignore(const LayerDefinition& layer, PlannedLayer& planned) {
    if (layer.is_data() || layer.type == "Input") {
      const InputParameter& params = layer.message->input_param();
      for (size_t i = 0; i < layer.tops.size(); ++i) {
        InputDefinition input{layer.tops[i], std::nullopt};
        if (params.shape_size() > 0) {
          const int last = params.shape_size() - 1;
          input.shape =
              input_shape(params.shape(std::min(static_cast<int>(i), last)));
        }
        add_input(input);
      }
      planned.reason = "its tops are inputs";
    } else if (layer.type == "Silence" || layer.type == "HDF5Output") {
      planned.reason = "computes nothing";
    } else if (!planned.in_train && !planned.in_test) {
      planned.reason = "its rules exclude it in both phases";
    } else {
      return false;
    }
    planned.status = Status::kIgnored;
    return true;
  }

  void add_step(const LayerDefinition& layer, PlannedLayer& planned) {
    Step step = {.name = planned.name,
                 .label = layer.label(),
                 .in_train = planned.in_train,
                 .in_test = planned.in_test};
    for (const std::string& name : layer.bottoms) {
      step.bottoms.push_back(blob(name));
    }
    for (const std::string& name : layer.tops) step.tops.push_back(blob(name));
    try {
      build(layer, step);
      planned.reason = step.layer.note;
      planned.cost = step.layer.cost;
    } catch (const ValueError& error) {
      if (options_.strict) {
        raise<IoError>(net_.where, ": ", step.label, ": ", error.what());
      }
      step.refusal = error.what();
      planned.status = Status::kRefused;
      planned.reason = step.refusal;
    }
    program_.steps.push_back(std::move(step));
  }

  void build(const LayerDefinition& layer, Step& step) {
    const LayerType* const type = find_layer_type(layer.type);
    if (type == nullptr) {
      raise<ValueError>(
          layer.type.empty() ? "it has no type" : "the type is not known",
          "; remove the layer from the net, or import with {.strict = false} "
          "and request outputs that do not need it");
    }
    expect_count("bottoms", layer.bottoms.size(), type->min_bottoms,
                 type->max_bottoms);
    expect_count("tops", layer.tops.size(), type->min_tops, type->max_tops);
    step.layer = type->build(layer, {.max_elements = options_.max_elements});
    if (step.layer.add_link != nullptr) assign_child(layer, step);
  }

  void assign_child(const LayerDefinition& layer, Step& step) {
    const std::string key = sharing_key(layer);
    if (!key.empty()) {
      const auto [found, is_new] = shared_.emplace(key, children_);
      if (!is_new) {
        step.child = found->second;
        step.layer.add_link = nullptr;
        step.layer.note = "shares the parameters of an earlier layer";
        for (const std::string& name : layer.param_names) {
          param_names_.insert(name);
        }
        return;
      }
    }
    for (const std::string& name : layer.param_names) {
      if (!name.empty() && !param_names_.insert(name).second) {
        step.layer.note =
            str("has a copy of the shared parameter ", quote(name),
                ": training does not keep both equal");
      }
    }
    step.child = children_++;
  }

  bool fuses(size_t i) const {
    const Step& step = program_.steps[i];
    const Step& next = program_.steps[i + 1];
    if (step.layer.fused_forward == nullptr || !next.layer.scales_channels ||
        !next.refusal.empty() || next.bottoms != step.tops ||
        next.in_train != step.in_train || next.in_test != step.in_test) {
      return false;
    }
    if (next.tops == step.tops) return true;
    return std::count_if(
               program_.steps.begin(), program_.steps.end(),
               [&](const Step& other) {
                 return std::find(other.bottoms.begin(), other.bottoms.end(),
                                  step.tops[0]) != other.bottoms.end();
               }) == 1;
  }

  // Why the net cannot run in a phase: a bottom that no earlier layer computes,
  // or a blob that two layers compute.
  std::string problem_of_phase(bool train) const {
    std::set<int> made(inputs_.begin(), inputs_.end());
    for (const Step& step : program_.steps) {
      if (!step.is_in(train)) continue;
      for (const int bottom : step.bottoms) {
        if (made.contains(bottom)) continue;
        return str(step.label, ": bottom ", quote(program_.blobs[bottom]),
                   " is made by no layer before it");
      }
      for (const int top : step.tops) {
        const bool in_place =
            std::find(step.bottoms.begin(), step.bottoms.end(), top) !=
            step.bottoms.end();
        if (!made.insert(top).second && !in_place) {
          return str(step.label, ": top ", quote(program_.blobs[top]),
                     " is made by an earlier layer, too");
        }
      }
    }
    return "";
  }

  const NetDefinition& net_;
  const CaffeOptions& options_;
  Program program_;
  std::set<int> inputs_;
  std::set<std::string> names_;
  // For the names of layers whose own is taken: the number to try next.
  std::map<std::string, int> next_numbers_;
  std::map<std::string, int> shared_;
  std::set<std::string> param_names_;
  int children_ = 0;
};

// Determines the available blobs and the steps that can run.
class Reachability {
 public:
  Reachability(const Program& program, bool train,
               const std::vector<int>& inputs,
               const std::vector<std::string>& disabled)
      : program_(program),
        train_(train),
        inputs_(inputs),
        available_(program.blobs.size()),
        runs_(program.steps.size()),
        disabled_(program.steps.size()) {
    for (const int input : inputs) available_[input] = true;
    for (size_t i = 0; i < program.steps.size(); ++i) {
      const Step& step = program.steps[i];
      disabled_[i] = std::find(disabled.begin(), disabled.end(), step.name) !=
                     disabled.end();
      runs_[i] = step.is_in(train) && !disabled_[i] &&
                 std::all_of(step.bottoms.begin(), step.bottoms.end(),
                             [&](int blob) { return available_[blob]; });
      if (!runs_[i]) continue;
      for (const int top : step.tops) available_[top] = true;
    }
  }

  std::vector<int> needed(const std::vector<int>& outputs) const {
    std::vector<bool> wanted(program_.blobs.size());
    for (const int output : outputs) {
      if (!available_[output]) fail(output);
      wanted[output] = true;
    }
    std::vector<int> result;
    for (int i = static_cast<int>(runs_.size()) - 1; i >= 0; --i) {
      const Step& step = program_.steps[i];
      if (!runs_[i] || std::none_of(step.tops.begin(), step.tops.end(),
                                    [&](int top) { return wanted[top]; })) {
        continue;
      }
      if (!step.refusal.empty()) {
        raise<NotImplementedError>(program_.plan.file, ": ", step.label, ": ",
                                   step.refusal);
      }
      for (const int top : step.tops) wanted[top] = false;
      for (const int bottom : step.bottoms) wanted[bottom] = true;
      result.push_back(i);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  // Reports the first missing blob on the way to `output`.
  [[noreturn]] void fail(int output) const {
    int blob = output;
    for (size_t i = program_.steps.size(); i-- > 0;) {
      const Step& step = program_.steps[i];
      if (!step.is_in(train_) || std::find(step.tops.begin(), step.tops.end(),
                                           blob) == step.tops.end()) {
        continue;
      }
      if (disabled_[i]) {
        give_up(output, str(step.label, " is disabled"));
      }
      for (const int bottom : step.bottoms) {
        if (!available_[bottom]) {
          blob = bottom;
          break;
        }
      }
    }
    std::vector<std::string> given;
    for (const int input : inputs_) given.push_back(program_.blobs[input]);
    give_up(output,
            str("blob ", quote(program_.blobs[blob]),
                " is missing: no layer of phase ", train_ ? "TRAIN" : "TEST",
                " makes it before it is needed, and the inputs given "
                "are ",
                join(given)));
  }

  [[noreturn]] void give_up(int output, const std::string& cause) const {
    raise<ValueError>(program_.plan.file, ": cannot compute blob ",
                      quote(program_.blobs[output]), ": ", cause);
  }

  const Program& program_;
  bool train_;
  const std::vector<int>& inputs_;
  std::vector<bool> available_;
  std::vector<bool> runs_;
  std::vector<bool> disabled_;
};

}  // namespace

Program compile(const NetDefinition& net, const CaffeOptions& options) {
  return Compiler(net, options).compile();
}

std::vector<int> needed_steps(const Program& program, bool train,
                              const std::vector<int>& inputs,
                              const std::vector<int>& outputs,
                              const std::vector<std::string>& disabled) {
  return Reachability(program, train, inputs, disabled).needed(outputs);
}

}  // namespace catena::caffe
