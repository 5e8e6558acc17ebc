#pragma once

#include <string_view>

#include "catena/functions/pooling/internal/window_maps.h"

namespace catena::functions {

// Adds the call to a CallRecording, if there is one, with ksize, stride, pad
// and cover_all.
void record_pooling(std::string_view function, const WindowCall& call,
                    const Variable& x, const Variable& y);

}  // namespace catena::functions
