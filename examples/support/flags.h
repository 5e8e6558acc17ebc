#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

// What the examples have beside absl/flags/flag.h.
namespace catena::examples {

// A flag that is an integer of at least `min`:
//
//   ABSL_FLAG(examples::AtLeast<1>, epoch, {20}, "sweeps over the training
//   set");
template <int64_t min>
struct AtLeast {
  int64_t value;
  operator int64_t() const { return value; }
};

namespace internal {

bool parse_integer(std::string_view text, int64_t min, int64_t* value,
                   std::string* error);

}  // namespace internal

template <int64_t min>
bool AbslParseFlag(absl::string_view text, AtLeast<min>* flag,
                   std::string* error) {
  return internal::parse_integer({text.data(), text.size()}, min, &flag->value,
                                 error);
}
template <int64_t min>
std::string AbslUnparseFlag(AtLeast<min> flag) {
  return std::to_string(flag.value);
}

// The main function of an example: sets the flags and runs it. What is thrown
// becomes one line on stderr and exit code 1. Paths are relative to the folder
// in which the user called Bazel, if that runs the program. --help prints
// `usage` and the flags.
int run_example(int argc, char** argv, const std::string& usage,
                const std::function<void()>& example);

}  // namespace catena::examples
