#include "catena/caffe/import_plan.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/caffe/program.h"

namespace catena::caffe {
namespace {

std::string_view status_text(PlannedLayer::Status status) {
  switch (status) {
    case PlannedLayer::Status::kSupported:
      return "supported";
    case PlannedLayer::Status::kIgnored:
      return "ignored";
    case PlannedLayer::Status::kRefused:
      return "refused";
  }
  return "";
}

// Columns of text, each as wide as its widest cell.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string result;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

// Escapes a name, which may contain any characters, without adding quotes.
std::string printable(const std::string& text) {
  const std::string quoted = array::quote(text);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

int64_t ImportPlan::count_params() const {
  int64_t result = 0;
  for (const PlannedLayer& layer : layers) {
    if (layer.status == PlannedLayer::Status::kSupported) {
      result += layer.parameters;
    }
  }
  return result;
}

bool ImportPlan::is_complete() const {
  return std::none_of(layers.begin(), layers.end(), [](const auto& layer) {
    return layer.status == PlannedLayer::Status::kRefused;
  });
}

ImportPlan import_plan(const std::string& path, const CaffeOptions& options) {
  CaffeOptions lenient = options;
  lenient.strict = false;
  return compile(NetDefinition::open(path, options.limits), lenient).plan;
}

std::string to_string(const ImportPlan& plan) {
  std::string result = str(plan.file, ": net ", array::quote(plan.net),
                           ", layers of generation V", plan.generation, ", ",
                           plan.count_params(), " parameters\n");
  for (const InputDefinition& input : plan.inputs) {
    result += str("input ", array::quote(input.name), " ",
                  input.shape ? to_string(*input.shape) : "of any shape", "\n");
  }
  std::vector<std::vector<std::string>> rows = {
      {"layer", "type", "phase", "parameters", "plan", ""}};
  for (const PlannedLayer& layer : plan.layers) {
    const bool both = layer.in_train && layer.in_test;
    rows.push_back({printable(layer.name), printable(layer.type),
                    both             ? ""
                    : layer.in_train ? "TRAIN"
                    : layer.in_test  ? "TEST"
                                     : "none",
                    std::to_string(layer.parameters),
                    std::string(status_text(layer.status)), layer.reason});
  }
  result += table(rows);
  if (!plan.train_problem.empty()) {
    result += str("phase TRAIN: ", plan.train_problem, "\n");
  }
  if (!plan.test_problem.empty()) {
    result += str("phase TEST: ", plan.test_problem, "\n");
  }
  return result;
}

}  // namespace catena::caffe
