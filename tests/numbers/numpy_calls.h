#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/tests/numbers/number_comparison.h"

// NumPy's results for unusual numbers and shapes, from tests/golden/numbers,
// and the routines that must agree with them in every layout of their inputs.
namespace catena::testing {

using Arrays = std::vector<Array>;

// A call, and what NumPy returned.
struct NumpyCall {
  std::string routine;
  std::vector<std::string> names;  // of the inputs
  Arrays inputs;
  nlohmann::json arguments;
  std::string error;  // the class of what NumPy raised instead; else empty
  Arrays outputs;

  bool has(std::string_view argument) const {
    return arguments.contains(argument);
  }
  // An argument by name; nothing if there is none, or None.
  template <class T>
  std::optional<T> optional(std::string_view argument) const {
    const auto found = arguments.find(argument);
    if (found == arguments.end() || found->is_null()) return std::nullopt;
    return found->template get<T>();
  }
  template <class T>
  T get(std::string_view argument) const {
    return arguments.at(std::string(argument)).template get<T>();
  }
};
std::ostream& operator<<(std::ostream& os, const NumpyCall& call);

// The calls of tests/golden/numbers/<file>.npz.
std::vector<NumpyCall> numpy_calls(std::string_view file);

// How catena computes what a routine of NumPy does. The inputs are those of the
// call, in some layout.
struct NumpyRoutine {
  std::function<Arrays(const NumpyCall& call, const Arrays& inputs)> run;
  Closeness closeness = {};
};
using NumpyRoutines = std::map<std::string, NumpyRoutine, std::less<>>;

// Calls for which catena differs from NumPy on purpose.
struct NumpyDifference {
  std::string_view what;
  std::string_view why;
  std::function<bool(const NumpyCall&)> applies;
  // What catena gives instead, from NumPy's results where there are some; the
  // same for all layouts. An Error is expected if it returns nothing.
  std::function<std::optional<Arrays>(const NumpyCall&)> instead;
};

// Expects NumPy's results, or an Error where NumPy raised one, for all calls of
// a file in every layout; a row for each routine of the file, and a call in the
// file for each row and for each difference. Prints how many calls it compared.
void expect_numpys_results(std::string_view file, const NumpyRoutines& routines,
                           const std::vector<NumpyDifference>& differences);

}  // namespace catena::testing
