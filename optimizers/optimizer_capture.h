#pragma once

#include <memory>

#include "catena/array/core/capture_participant.h"
#include "catena/optimizers/optimizer.h"

namespace catena::internal {

// The part of an optimizer, its hooks and update rules in captured steps: what
// Optimizer::capture_obstacle and append_capture_key say, and the gradients of
// its parameters, which each launch overwrites. The optimizer must outlive it.
std::unique_ptr<CaptureParticipant> optimizer_in_capture(
    const Optimizer& optimizer);

}  // namespace catena::internal
