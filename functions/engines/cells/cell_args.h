#pragma once

#include <cstdint>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_slot.h"

// The engine for the elementwise part of recurrent cells, such as LSTM gates;
// it connects functions with their kernels. Unlike the engine for elementwise
// functions, it reads and writes many arrays at once, handles gates interleaved
// in one array, and arrays may be absent.
//
// A functor computes one unit of one row. It is written once for CPU lanes,
// CUDA and, when a backward pass is recorded, variables (traced_cell.h):
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
// in(k) reads input stream k; in_or_zero(k) also allows it to be absent. out(k,
// value) writes output stream k, unless absent. Cell::Value is the type of all
// values.
//
// A functor whose streams are always as many says so, and GPUs read and write
// packs of them:
//
//     static constexpr CellStreams kInputs = {.count = 5, .first_gate = 1,
//                                             .groups = 1};
//     static constexpr CellStreams kOutputs = {.count = 2};
//
// It writes each output. Not for streams whose arrays are interleaved in some
// calls only: those are read one by one.
namespace catena::functions {

inline constexpr int kMaxCellStreams = 64;

// A functor's inputs or outputs: `count` streams, where those from first_gate
// on are `groups` arrays of four interleaved gates each.
struct CellStreams {
  static constexpr int kGates = 4;

  int count;
  int first_gate = 0;
  int groups = 0;

  constexpr bool is_gate(int k) const {
    return k >= first_gate && k < first_gate + groups * kGates;
  }
  // Its place in the group; 0 if it is none.
  constexpr int gate_of(int k) const {
    return is_gate(k) ? (k - first_gate) % kGates : 0;
  }
};

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
