#include "catena/functions/pooling/internal/pooling_record.h"

#include "catena/functions/call_recording.h"

namespace catena::functions {

void record_pooling(std::string_view function, const WindowCall& call,
                    const Variable& x, const Variable& y) {
  CallRecording* const recording = CallRecording::current();
  if (recording == nullptr) return;
  const Window window = call.window(x.ndim() - 2);
  recording->add({function,
                  {x},
                  y,
                  {{"ksize", window.ksize},
                   {"stride", window.stride},
                   {"pad", window.pad},
                   {"cover_all", int64_t{call.cover_all}}}});
}

}  // namespace catena::functions
