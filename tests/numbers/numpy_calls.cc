#include "catena/tests/numbers/numpy_calls.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/io/npz.h"
#include "catena/tests/numbers/layouts.h"
#include "catena/tests/support/runfiles.h"

namespace catena::testing {
namespace {

// After so many failures of one routine there is nothing new.
constexpr int kMaxFailures = 5;

std::string file_text(const array::NpzReader& file, std::string_view key) {
  const std::vector<uint8_t> bytes = file.read_array(key).to_vector<uint8_t>();
  return {bytes.begin(), bytes.end()};
}

// Results of one dtype, one after the other.
struct Values {
  Array all;
  int64_t used = 0;

  Array next(const Shape& shape) {
    const int64_t first = used;
    used += size_of(shape);
    return all[{Slice(first, used)}].copy().reshape(shape);
  }
};

// What one call gives.
struct Outcome {
  Arrays outputs;
  std::optional<std::string> error;
};

Outcome outcome_of(const NumpyRoutine& routine, const NumpyCall& call,
                   const Layout& layout) {
  Arrays inputs;
  for (const Array& input : call.inputs) inputs.push_back(layout.of(input));
  try {
    return {routine.run(call, inputs), std::nullopt};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

// How an outcome differs from results, or from an error for nullopt.
std::string difference(const Outcome& outcome,
                       const std::optional<Arrays>& expected,
                       const Closeness& closeness) {
  if (!expected.has_value()) return outcome.error ? "" : "no error";
  if (outcome.error) return str("error: ", *outcome.error);
  if (outcome.outputs.size() != expected->size()) {
    return str(outcome.outputs.size(), " results, expected ", expected->size());
  }
  for (size_t i = 0; i < expected->size(); ++i) {
    const std::string text =
        difference(outcome.outputs[i], (*expected)[i], closeness);
    if (!text.empty()) return str("result ", i, ": ", text);
  }
  return "";
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const NumpyCall& call) {
  os << call.routine << '(';
  for (size_t i = 0; i < call.names.size(); ++i) {
    os << (i > 0 ? ", " : "") << call.names[i];
  }
  if (!call.arguments.is_null()) os << ", " << call.arguments;
  return os << ')';
}

std::vector<NumpyCall> numpy_calls(std::string_view name) {
  const array::NpzReader file(
      runfile(str("tests/golden/numbers/", name, ".npz")));
  std::map<std::string, Array> inputs;
  std::map<std::string, Values> values;
  for (const std::string& key : file.keys()) {
    if (key.starts_with("in/")) inputs[key.substr(3)] = file.read_array(key);
    if (key.starts_with("values/")) {
      values[key.substr(7)].all = file.read_array(key);
    }
  }
  std::vector<NumpyCall> calls;
  for (const auto& row : nlohmann::json::parse(file_text(file, "index"))) {
    NumpyCall& call = calls.emplace_back();
    call.routine = row.at("routine");
    call.names = row.at("in");
    for (const std::string& input : call.names) {
      call.inputs.push_back(inputs.at(input));
    }
    call.arguments = row.value("arguments", nlohmann::json());
    call.error = row.value("error", "");
    if (!call.error.empty()) continue;
    for (const auto& out : row.at("out")) {
      const Shape shape(out.at(1).get<std::vector<int64_t>>());
      call.outputs.push_back(values.at(out.at(0)).next(shape));
    }
  }
  for (const auto& [dtype, list] : values) {
    EXPECT_EQ(list.used, list.all.size()) << name << ' ' << dtype;
  }
  return calls;
}

void expect_numpys_results(std::string_view file, const NumpyRoutines& routines,
                           const std::vector<NumpyDifference>& differences) {
  std::map<std::string, int> compared;
  std::map<std::string, int> failures;
  std::vector<int> used(differences.size());
  for (const NumpyCall& call : numpy_calls(file)) {
    const auto found = routines.find(call.routine);
    if (found == routines.end()) {
      if (compared[call.routine]++ == 0) {
        ADD_FAILURE() << "no row for " << call.routine;
      }
      continue;
    }
    const NumpyRoutine& routine = found->second;
    std::optional<Arrays> expected;
    if (call.error.empty()) expected = call.outputs;
    bool is_different = false;
    for (size_t i = 0; i < differences.size(); ++i) {
      if (!differences[i].applies(call)) continue;
      EXPECT_FALSE(is_different) << call << ": two differences";
      is_different = true;
      const std::optional<Arrays> instead = differences[i].instead(call);
      // One that is none does not stay on the list.
      const Outcome other{instead.value_or(Arrays()),
                          instead ? std::nullopt : std::optional("error")};
      if (!difference(other, expected, {}).empty()) ++used[i];
      expected = instead;
    }
    for (const Layout& layout : every_layout()) {
      ++compared[call.routine];
      const std::string text = difference(outcome_of(routine, call, layout),
                                          expected, routine.closeness);
      if (text.empty()) continue;
      if (++failures[call.routine] <= kMaxFailures) {
        ADD_FAILURE() << call << ", " << layout.name << ": " << text;
      }
      break;
    }
  }
  int total = 0;
  for (const auto& [routine, count] : compared) total += count;
  std::cout << file << ": " << total << " calls of " << compared.size()
            << " routines\n";
  for (const auto& [routine, count] : failures) {
    std::cout << routine << ": " << count << " calls differ\n";
  }
  for (const auto& [name, routine] : routines) {
    EXPECT_TRUE(compared.contains(name)) << "no calls of " << name;
  }
  for (size_t i = 0; i < differences.size(); ++i) {
    EXPECT_GT(used[i], 0) << "no call where this differs: "
                          << differences[i].what;
  }
}

}  // namespace catena::testing
