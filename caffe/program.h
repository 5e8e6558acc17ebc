#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catena/caffe/import_plan.h"
#include "catena/caffe/layer.h"

namespace catena::caffe {

// A layer, in the net's order; blobs are given by index.
struct Step {
  std::string name = {};
  std::string label = {};  // for error messages
  std::vector<int> bottoms = {};
  std::vector<int> tops = {};
  Layer layer = {};
  // Why it cannot run; empty if it can.
  std::string refusal = {};
  bool in_train = true;
  bool in_test = true;
  // The index of its link among the model's children; -1 without a link.
  int child = -1;
  // Whether the next step is a Scale and the only reader of this BatchNorm's
  // top.
  bool fuses_with_next = false;

  bool is_in(bool train) const { return train ? in_train : in_test; }
};

// A compiled net, without its parameters.
struct Program {
  ImportPlan plan;
  std::vector<Step> steps;
  std::vector<std::string> blobs;  // names
  std::map<std::string, int, std::less<>> blob_ids;

  // Why the net can't run in this mode, or "".
  const std::string& problem(bool train) const {
    return train ? plan.train_problem : plan.test_problem;
  }
};

// Plans every layer. Throws IoError naming file, layer and reason when the net
// cannot run in either phase or, with options.strict, a layer cannot be
// imported.
Program compile(const NetDefinition& net, const CaffeOptions& options);

// The steps that the outputs need, in order. Inputs and outputs are blobs.
// Throws ValueError, with the cause, when an output cannot be computed;
// NotImplementedError when it needs a layer that was rejected.
std::vector<int> needed_steps(const Program& program, bool train,
                              const std::vector<int>& inputs,
                              const std::vector<int>& outputs,
                              const std::vector<std::string>& disabled);

}  // namespace catena::caffe
