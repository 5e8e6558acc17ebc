#pragma once

#include <functional>
#include <memory>

#include "catena/array/core/capture_participant.h"
#include "catena/links/link.h"

namespace catena::internal {

// The part of a model in captured steps: the hooks of its links, its persistent
// arrays, numbers and texts, and the states of recurrent links
// (Link::visit_state). Launches leave persistent arrays and states in the same
// memory each time, states without their graph, as after unchain_backward().
std::unique_ptr<CaptureParticipant> model_in_capture(
    std::function<Link&()> model);

// The part of this thread's reporter in captured steps: what the step reported
// in the capture stays in memory that each launch overwrites, and is reported
// after each. Scalars are copied together.
std::unique_ptr<CaptureParticipant> reports_in_capture();

}  // namespace catena::internal
