#pragma once

#include <string>

#include "catena/training/extension.h"

namespace catena::training::extensions {

// Stops training with a GradientError that names the first parameter with NaN
// or infinity. Each call reads all parameters; a trigger such as {100,
// "iteration"} makes the cost small.
class FailOnNonNumber final : public Extension {
 public:
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "FailOnNonNumber"; }
};

}  // namespace catena::training::extensions
