#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace catena {

// A hyperparameter of an optimizer, as a member of its options struct. Every
// options struct lists its hyperparameters in `static constexpr
// Hyperparameter<Options> kHyperparameters[]`, so that extensions find them by
// name.
template <class Options>
struct Hyperparameter {
  std::string_view name;
  double Options::*member;
};

namespace internal {
// Throws ValueError listing the existing names.
[[noreturn]] void throw_no_hyperparameter(
    std::string_view name, const std::vector<std::string_view>& names);
}  // namespace internal

// The names of the members of a struct of options.
template <class Options>
std::vector<std::string_view> member_names() {
  std::vector<std::string_view> names;
  for (const auto& entry : Options::kHyperparameters) {
    names.push_back(entry.name);
  }
  return names;
}

// The hyperparameter of that name, as an index into kHyperparameters or a
// member. Throw ValueError listing the existing names.
template <class Options>
size_t hyperparameter_index(std::string_view name) {
  size_t i = 0;
  for (const auto& entry : Options::kHyperparameters) {
    if (entry.name == name) return i;
    ++i;
  }
  internal::throw_no_hyperparameter(name, member_names<Options>());
}
template <class Options>
double Options::*member_named(std::string_view name) {
  return Options::kHyperparameters[hyperparameter_index<Options>(name)].member;
}

}  // namespace catena
