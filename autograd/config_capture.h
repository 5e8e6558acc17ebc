#pragma once

#include <memory>

#include "catena/array/core/capture_participant.h"

namespace catena::internal {

// The part of this thread's config() in captured steps: with other settings
// functions may choose other kernels.
std::unique_ptr<CaptureParticipant> config_in_capture();

}  // namespace catena::internal
