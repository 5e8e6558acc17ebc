#pragma once

#include <cstdint>

#include "catena/array/array.h"
#include "catena/functions/engines/cells/cell_args.h"

namespace catena::functions {

// The memory order of a row's gates: all gates of a unit next to each other, or
// all units of a gate.
enum class GateOrder : uint8_t { kInterleaved, kBlocked };

// Collects the arrays of a call of a cell functor. Arrays have two axes, rows
// and units (or units times gates), the same dtype and device, and must live
// until run(). Undefined arrays are absent streams.
class CellCall {
 public:
  CellCall(int64_t rows, int64_t units);

  // `first_row` is the array's row for the first row of the call.
  CellCall& input(const Array& array, int64_t first_row = 0) {
    return gates(array, 1, GateOrder::kBlocked, first_row);
  }
  CellCall& inputs(const Array& array, int count, GateOrder order,
                   int64_t first_row = 0) {
    return gates(array, count, order, first_row);
  }
  // Call after all inputs.
  CellCall& output(const Array& array, int64_t first_row = 0) {
    return outputs(array, 1, GateOrder::kBlocked, first_row);
  }
  CellCall& outputs(const Array& array, int count, GateOrder order,
                    int64_t first_row = 0);

  // Throws NotImplementedError when no kernel is linked for the device,
  // DtypeError when there is none for the dtype.
  template <class Op>
  void run(const Op& op) {
    run(kernel_slot<CellFamily, Op>, &op);
  }

 private:
  CellCall& gates(const Array& array, int count, GateOrder order,
                  int64_t first_row);
  void run(const KernelSlot<CellFamily::Table>& slot, const void* op);

  CellArgs args_;
  Dtype dtype_ = Dtype::kFloat32;
  bool is_typed_ = false;
};

}  // namespace catena::functions
