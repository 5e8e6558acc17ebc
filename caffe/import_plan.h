#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/caffe/layer.h"
#include "catena/caffe/net_definition.h"

namespace catena::caffe {

struct CaffeOptions {
  // Whether a layer that cannot be imported is an error at once. Otherwise it
  // is one when an output that is asked for needs it.
  bool strict = true;
  // Level and stages of the net's state, for layers with include and exclude
  // rules; the phase is that of each call.
  int64_t level = 0;
  std::vector<std::string> stages = {};
  // What the file may ask for.
  LoadLimits limits = {};
  // The most elements of a blob when the net runs; Caffe's own limit.
  int64_t max_elements = INT32_MAX;
};

// What becomes of a layer.
struct PlannedLayer {
  enum class Status : uint8_t { kSupported, kIgnored, kRefused };

  // Unique: layers of one name have numbers behind it ("conv1_2").
  std::string name = {};
  std::string type = {};
  std::vector<std::string> bottoms = {};
  std::vector<std::string> tops = {};
  Status status = Status::kSupported;
  // Why it is ignored or refused, or what to know of a layer that is supported.
  std::string reason = {};
  int64_t parameters = 0;
  // The phases that it is in.
  bool in_train = true;
  bool in_test = true;
  LayerCost cost = {};
};

// What an import of a file will do, made without any link or parameter.
struct ImportPlan {
  std::string file;  // "caffe: 'x.caffemodel'"
  std::string net;
  int generation = 2;
  std::vector<InputDefinition> inputs;
  std::vector<PlannedLayer> layers;
  // Why the net as a whole cannot run in a phase; empty when it can.
  std::string train_problem;
  std::string test_problem;

  int64_t count_params() const;
  // Whether no layer is refused.
  bool is_complete() const;
};

// IoError when the file is no net, whatever options.strict says.
ImportPlan import_plan(const std::string& path,
                       const CaffeOptions& options = {});

// A table with a line for each layer.
std::string to_string(const ImportPlan& plan);

}  // namespace catena::caffe
