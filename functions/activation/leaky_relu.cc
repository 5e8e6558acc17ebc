#include "catena/functions/activation/leaky_relu.h"

#include "catena/functions/activation/internal/piecewise_ops.h"
#include "catena/functions/call_recording.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable leaky_relu(const Variable& x, const LeakyReluOptions& options) {
  const Variable y = elementwise<LeakyRelu>({options.slope}, x);
  if (CallRecording* const recording = CallRecording::current()) {
    recording->add({"leaky_relu", {x}, y, {{"slope", options.slope}}});
  }
  return y;
}

}  // namespace catena::functions
