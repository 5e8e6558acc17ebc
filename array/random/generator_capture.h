#pragma once

#include <memory>

#include "catena/array/core/capture_participant.h"

namespace catena::array::random {

// The part of this thread's generators in captured steps: a capture that failed
// leaves them where they were. Draws in a launch need nothing of it: they get
// their places in the stream by Capture::value.
std::unique_ptr<CaptureParticipant> generators_in_capture();

}  // namespace catena::array::random
