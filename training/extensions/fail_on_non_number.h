#pragma once

#include <string>

#include "catena/training/extension.h"

namespace catena::training::extensions {

// Ends training when a parameter has become NaN or infinite: GradientError
// names the first. Each look goes over all parameters; with a trigger such as
// {100, "iteration"} that costs little.
class FailOnNonNumber final : public Extension {
 public:
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "FailOnNonNumber"; }
};

}  // namespace catena::training::extensions
