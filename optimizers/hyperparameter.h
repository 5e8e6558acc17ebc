#pragma once

#include <memory>
#include <string_view>

namespace catena {

// A hyperparameter of an optimizer as a member of its options struct; every
// options struct lists its own in `static constexpr Hyperparameter<Options>
// kHyperparameters[]`, which is how extensions find them by name.
template <class Options>
struct Hyperparameter {
  std::string_view name;
  double Options::*member;
};

}  // namespace catena
