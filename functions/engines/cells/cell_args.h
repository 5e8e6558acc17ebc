#pragma once

#include <cstdint>

#include "catena/array/device.h"
#include "catena/array/dtype.h"
#include "catena/array/kernel_slot.h"

// The machinery of the elementwise part of recurrent cells, such as LSTM's
// gates: between their routines and their kernels. It differs from that of
// elementwise functions in that many arrays are read and written at once, that
// gates lie side by side in one array, and that arrays may be absent.
//
// A functor computes one unit of one row. It is written once for the CPU's
// lanes, for CUDA and, when a backward pass is recorded, for variables
// (traced_cell.h):
//
//   struct LstmOp {
//     static constexpr std::string_view kName = "lstm";
//     template <class Cell>
//     CATENA_HOST_DEVICE void operator()(Cell& cell) const {
//       const auto c = ... cell.in(0) ... cell.in(1) ...;
//       cell.out(0, c);
//     }
//   };
//
// in(k) is input stream k, in_or_zero(k) the same for one that may be absent.
// out(k, value) writes output stream k, if it is there. Cell::Value is the type
// of them all.
namespace catena::functions {

inline constexpr int kMaxCellStreams = 64;

// One call.
struct CellArgs {
  // One element for each unit of each row.
  struct Stream {
    char* data;  // null when absent
    int64_t row_stride;
    int64_t unit_stride;  // both in bytes
  };

  Device device;
  int64_t rows;
  int64_t units;
  int inputs;
  int outputs;
  Stream streams[kMaxCellStreams];  // inputs, then outputs
  const void* op;
};

struct CellFamily {
  using Kernel = void(const CellArgs& args);
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = FloatTypes;
};

}  // namespace catena::functions
