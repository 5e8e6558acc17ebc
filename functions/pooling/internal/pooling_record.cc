#include "catena/functions/pooling/internal/pooling_record.h"

#include "catena/functions/call_recording.h"

namespace catena::functions {

void record_pooling(std::string_view function, const WindowCall& call,
                    const Variable& x, const Variable& y) {
  CallRecording* const recording = CallRecording::current();
  if (recording == nullptr) return;
  const int ndim = x.ndim() - 2;
  const auto on_axes = [&](const Spatial& sizes) {
    return sizes.on_axes(ndim, 0, call.function, "ksize, stride or pad");
  };
  recording->add({function,
                  {x},
                  y,
                  {{"ksize", on_axes(call.ksize)},
                   {"stride", on_axes(call.stride.value_or(call.ksize))},
                   {"pad", on_axes(call.pad)},
                   {"cover_all", int64_t{call.cover_all}}}});
}

}  // namespace catena::functions
