#include "catena/functions/engines/rows/row_call.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"

namespace catena::functions {

void run_rows(const KernelSlot<RowFamily::Table>& slot, const void* op,
              int axis, std::initializer_list<const Array*> inputs,
              const Array* output, int64_t chunks) {
  const Array& first = **inputs.begin();
  RowFamily::Kernel* kernel = slot.on(first.device())[first.dtype()];
  if (kernel == nullptr) {
    raise<DtypeError>(slot.name, ": not offered for dtype ", first.dtype());
  }
  RowArgs args = {};
  args.device = first.device();
  args.length = first.shape()[axis];
  args.inner = 1;
  for (int i = axis + 1; i < first.ndim(); ++i) args.inner *= first.shape()[i];
  args.rows = args.inner;
  for (int i = 0; i < axis; ++i) args.rows *= first.shape()[i];
  args.chunks = chunks;
  args.op = op;
  // Keeps contiguous copies alive until the kernel has started.
  std::array<Array, kMaxRowOperands> contiguous;
  int count = 0;
  for (const Array* input : inputs) {
    contiguous[count] = input->contiguous();
    args.operands[count] = contiguous[count].raw_data();
    ++count;
  }
  if (output != nullptr) args.operands[count] = output->raw_data();
  if (args.rows > 0) kernel(args);
}

Array memory_for_column_sums(const Array& x) {
  // Sums take a twelfth of the memory traffic at most. A GPU needs more blocks
  // than a CPU has cores.
  constexpr int64_t kMinRows = 16;
  const bool is_native = x.device().is_native();
  const int64_t chunks =
      std::clamp<int64_t>(x.shape()[0] / kMinRows, 1, is_native ? 256 : 512);
  const Shape shape{chunks, 2, x.shape()[1]};
  const Dtype dtype = computed_dtype(x.dtype());
  if (is_native || x.shape()[0] == 0) {
    return array::zeros(shape, dtype, x.device());
  }
  return array::empty(shape, dtype, x.device());
}

}  // namespace catena::functions
