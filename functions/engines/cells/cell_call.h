#pragma once

#include <cstdint>

#include "catena/array/array.h"
#include "catena/functions/engines/cells/cell_args.h"

namespace catena::functions {

// How the gates of a row lie in memory: those of a unit side by side, or one
// gate of all units after the other.
enum class GateOrder : uint8_t { kInterleaved, kBlocked };

// Puts the arrays of a call of a cell functor together. Arrays have two axes,
// rows and units (or units times gates), one dtype and device, and must live
// until run(). Those that are undefined are absent.
class CellCall {
 public:
  CellCall(int64_t rows, int64_t units);

  // Where the rows of the call begin in the array.
  CellCall& input(const Array& array, int64_t first_row = 0) {
    return gates(array, 1, GateOrder::kBlocked, first_row);
  }
  CellCall& inputs(const Array& array, int count, GateOrder order,
                   int64_t first_row = 0) {
    return gates(array, count, order, first_row);
  }
  // After all inputs.
  CellCall& output(const Array& array, int64_t first_row = 0) {
    return outputs(array, 1, GateOrder::kBlocked, first_row);
  }
  CellCall& outputs(const Array& array, int count, GateOrder order,
                    int64_t first_row = 0);

  // NotImplementedError when no kernel is linked for the device, DtypeError
  // when there is none for the dtype.
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
