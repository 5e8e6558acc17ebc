#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/string_view.h"

// What the examples have beside absl/flags/flag.h.
namespace catena::examples {

// An integer flag of at least `min`:
//
//   ABSL_FLAG(examples::AtLeast<1>, epoch, {20}, "sweeps over the data");
template <int64_t min>
struct AtLeast {
  constexpr AtLeast(int64_t n = min) : value(n) {}
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

// Sets the flags and runs an example; an exception becomes one line on stderr
// and exit code 1. Under bazel run, paths are relative to the folder where
// Bazel was called. --help prints `usage` and the flags.
int run_example(int argc, char** argv, const std::string& usage,
                const std::function<void()>& example);
// The same for an example that takes arguments besides its flags.
int run_example(
    int argc, char** argv, const std::string& usage,
    const std::function<void(const std::vector<std::string>& arguments)>&
        example);

}  // namespace catena::examples
