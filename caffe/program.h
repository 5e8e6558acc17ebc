#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catena/caffe/import_plan.h"
#include "catena/caffe/layer.h"

namespace catena::caffe {

// A layer in the order of its net; blobs are numbers.
struct Step {
  std::string name = {};
  std::string label = {};  // for messages
  std::vector<int> bottoms = {};
  std::vector<int> tops = {};
  Layer layer = {};
  // Why it cannot run; empty when it can.
  std::string refusal = {};
  bool in_train = true;
  bool in_test = true;
  // Which child of the model is its link; -1 without one.
  int child = -1;
  // Whether the next step is a Scale that alone reads what this BatchNorm
  // makes.
  bool fuses_with_next = false;

  bool is_in(bool train) const { return train ? in_train : in_test; }
};

// A net ready to be run, without its parameters.
struct Program {
  ImportPlan plan;
  std::vector<Step> steps;
  std::vector<std::string> blobs;  // names
  std::map<std::string, int, std::less<>> blob_ids;

  const std::string& problem(bool train) const {
    return train ? plan.train_problem : plan.test_problem;
  }
};

// Plans every layer. IoError naming file, layer and reason when options.strict
// and something cannot be imported, or the net cannot run in either phase.
Program compile(const NetDefinition& net, const CaffeOptions& options);

// Which steps the outputs need, in order. Inputs and outputs are blobs.
// ValueError, with the cause, when an output cannot be computed;
// NotImplementedError when that takes a layer that was refused.
std::vector<int> needed_steps(const Program& program, bool train,
                              const std::vector<int>& inputs,
                              const std::vector<int>& outputs,
                              const std::vector<std::string>& disabled);

}  // namespace catena::caffe
