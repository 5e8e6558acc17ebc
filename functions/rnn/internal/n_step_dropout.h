#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/random/random.h"

namespace catena::functions {

// The seeds of another generator that follows ours: of one that keeps its
// states on a device, goes on from them by itself, and takes long to be set up.
class NStepDropoutSeed {
 public:
  // A seed, drawn from `generator`, if the states must be set up: at first, and
  // whenever `generator` has been restarted. Nothing if they may go on.
  std::optional<uint64_t> next(array::random::Generator& generator);

 private:
  std::optional<int64_t> restarts_;
};

}  // namespace catena::functions
