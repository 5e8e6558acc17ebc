#include "catena/functions/engines/cells/cell_call.h"

#include "catena/array/core/error.h"

namespace catena::functions {

CellCall::CellCall(int64_t rows, int64_t units) {
  args_.rows = rows;
  args_.units = units;
  args_.inputs = 0;
  args_.outputs = 0;
}

CellCall& CellCall::outputs(const Array& array, int count, GateOrder order,
                            int64_t first_row) {
  const int before = args_.inputs;
  gates(array, count, order, first_row);
  args_.outputs += args_.inputs - before;
  args_.inputs = before;
  return *this;
}

CellCall& CellCall::gates(const Array& array, int count, GateOrder order,
                          int64_t first_row) {
  const int first = args_.inputs + args_.outputs;
  if (first + count > kMaxCellStreams) {
    raise<NotImplementedError>("cell: expected at most ", kMaxCellStreams,
                               " streams, got ", first + count);
  }
  args_.inputs += count;
  CellArgs::Stream* stream = args_.streams + first;
  if (!array.defined()) {
    for (int gate = 0; gate < count; ++gate) stream[gate] = {nullptr, 0, 0};
    return *this;
  }
  if (is_typed_) {
    array.check_dtype(dtype_, "cell");
  } else {
    is_typed_ = true;
    dtype_ = array.dtype();
    args_.device = array.device();
  }
  const bool fits =
      array.ndim() == 2 && array.shape()[0] >= first_row + args_.rows &&
      array.shape()[1] == count * args_.units && array.device() == args_.device;
  if (!fits) {
    raise<ShapeError>("cell: expected ", first_row + args_.rows, " rows of ",
                      count, " x ", args_.units, " on ", args_.device, ", got ",
                      array.shape(), " on ", array.device());
  }
  const int64_t row = array.strides()[0];
  const int64_t item = array.strides()[1];
  const bool interleaved = order == GateOrder::kInterleaved;
  const int64_t from_gate = interleaved ? item : item * args_.units;
  char* const data = array.raw_data() + first_row * row;
  for (int gate = 0; gate < count; ++gate) {
    stream[gate] = {data + gate * from_gate, row,
                    interleaved ? item * count : item};
  }
  return *this;
}

void CellCall::run(const KernelSlot<CellFamily::Table>& slot, const void* op) {
  if (args_.rows == 0 || args_.units == 0) return;
  CellFamily::Kernel* kernel = slot.on(args_.device)[dtype_];
  if (kernel == nullptr) {
    raise<DtypeError>(slot.name, ": not offered for dtype ", dtype_);
  }
  args_.op = op;
  kernel(args_);
}

}  // namespace catena::functions
