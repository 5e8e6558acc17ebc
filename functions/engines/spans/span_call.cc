#include "catena/functions/engines/spans/span_call.h"

#include "catena/array/core/error.h"

namespace catena::functions {

void run_spans(const KernelSlot<SpanFamily::Table>& slot, const void* op,
               const Array& like, int64_t rows, int64_t width, int64_t work) {
  SpanFamily::Kernel* kernel = slot.on(like.device())[like.dtype()];
  if (kernel == nullptr) {
    raise<DtypeError>(slot.name, ": not offered for dtype ", like.dtype());
  }
  if (rows > 0 && width > 0) kernel({like.device(), rows, width, work, op});
}

}  // namespace catena::functions
