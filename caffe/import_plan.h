#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/caffe/layer.h"
#include "catena/caffe/net_definition.h"

namespace catena::caffe {

struct CaffeOptions {
  NamedFieldsOnly keywords = {};
  // Whether a layer that cannot be imported is an error when loading. Otherwise
  // it is an error only if a requested output needs it.
  bool strict = true;
  // Level and stages of the net's state, for layers with include and exclude
  // rules; the phase is that of each call.
  int64_t level = 0;
  std::vector<std::string> stages = {};
  // Limits on the file.
  LoadLimits limits = {};
  // The maximum number of elements of a blob at run time; defaults to Caffe's
  // limit.
  int64_t max_elements = INT32_MAX;
};

// How a layer is imported.
struct PlannedLayer {
  enum class Status : uint8_t { kSupported, kIgnored, kRefused };

  // Unique: repeated names get a number appended ("conv1_2").
  std::string name = {};
  std::string type = {};
  std::vector<std::string> bottoms = {};
  std::vector<std::string> tops = {};
  Status status = Status::kSupported;
  // Why the layer is ignored or rejected, or a note on a supported layer.
  std::string reason = {};
  int64_t parameters = 0;
  // The phases that the layer is part of.
  bool in_train = true;
  bool in_test = true;
  LayerCost cost = {};
};

// How a file will be imported; made without creating links or parameters.
struct ImportPlan {
  std::string file;  // "caffe: 'x.caffemodel'"
  std::string net;
  int generation = 2;
  std::vector<InputDefinition> inputs;
  std::vector<PlannedLayer> layers;
  // Why the net cannot run in a phase; empty if it can.
  std::string train_problem;
  std::string test_problem;

  int64_t count_params() const;
  // Whether no layer is rejected.
  bool is_complete() const;
};

// Throws IoError when the file is not a net, regardless of options.strict.
ImportPlan import_plan(const std::string& path,
                       const CaffeOptions& options = {});

// A table with a line for each layer.
std::string to_string(const ImportPlan& plan);

}  // namespace catena::caffe
