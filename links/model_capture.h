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

}  // namespace catena::internal
