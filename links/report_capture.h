#pragma once

#include <memory>

#include "catena/array/core/capture_participant.h"

namespace catena::internal {

// The part of this thread's reporter in captured steps: what the step reported
// in the capture stays in memory that each launch overwrites, and is reported
// after each. Scalars are copied together.
std::unique_ptr<CaptureParticipant> reports_in_capture();

}  // namespace catena::internal
