#pragma once

#include <string_view>
#include <vector>

namespace catena {

// A hyperparameter of an optimizer as a member of its options struct; every
// options struct lists its own in `static constexpr Hyperparameter<Options>
// kHyperparameters[]`, which is how extensions find them by name.
template <class Options>
struct Hyperparameter {
  std::string_view name;
  double Options::*member;
};

namespace internal {
// ValueError naming those there are.
[[noreturn]] void throw_no_hyperparameter(
    std::string_view name, const std::vector<std::string_view>& names);
}  // namespace internal

template <class Options>
std::vector<std::string_view> member_names() {
  std::vector<std::string_view> names;
  for (const auto& entry : Options::kHyperparameters) {
    names.push_back(entry.name);
  }
  return names;
}

// The hyperparameter of that name. ValueError naming those there are.
template <class Options>
double Options::*member_named(std::string_view name) {
  for (const auto& entry : Options::kHyperparameters) {
    if (entry.name == name) return entry.member;
  }
  internal::throw_no_hyperparameter(name, member_names<Options>());
}

}  // namespace catena
