#pragma once

#include <array>
#include <cstdint>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/array/kernels/kernel_slot.h"

// The engine for functions of all elements along one axis, such as softmax; it
// connects functions with their kernels.
//
// A functor computes one row: the elements along the axis at one position of
// the other axes. It is written once for the CPU and CUDA:
//
//   struct SoftmaxOp {
//     static constexpr std::string_view kName = "softmax";
//     static constexpr int kInputs = 1;       // arrays of the full shape
//     static constexpr bool kUpdates = true;
//     // Whether there is a result of the full shape.
//     static constexpr bool kOutput = true;
//     template <class Row>
//     CATENA_HOST_DEVICE void operator()(Row& row) const {
//       const auto m = row.max([](auto x) { return x; });
//       const auto s = row.store_sum([&](auto x) { return math::exp(x - m); });
//       row.update([&](auto y) { return y / s; });
//     }
//   };
//
// row_loop.h documents the members of Row. With a member
//
//     static constexpr int kShared = 2;
//
// the last two inputs are single rows shared by all rows, such as factors of
// the elements along the axis. A functor that calls store_sum and update has
//
//     static constexpr bool kUpdates = true;
//
// and one that also adds up columns, with store_and_add,
//
//     ColumnSums column_sums;
//
// A functor that takes values for rows, not numbers, can compute neighbouring
// rows along an axis that is not the last, one a lane (RowsInLanes):
//
//     static constexpr bool kInLanes = true;
namespace catena::functions {

inline constexpr int kMaxRowOperands = 5;

// The number of a functor's inputs that are one row shared by all rows.
template <class Op>
constexpr int shared_inputs() {
  if constexpr (requires { Op::kShared; }) {
    return Op::kShared;
  } else {
    return 0;
  }
}

template <class Op>
constexpr bool updates_rows() {
  return requires { Op::kUpdates; };
}

template <class Op>
constexpr bool runs_in_lanes() {
  return requires { Op::kInLanes; };
}

// Two sums for each column and chunk of rows, (chunks, 2, length) in the type
// computed in. On the CPU, a chunk's rows are consecutive and computed one
// after another, and the sums are zeros at first; a GPU's block has those of a
// chunk.
struct ColumnSums {
  void* data = nullptr;
  int64_t chunks = 0;
};

template <class Op>
constexpr bool adds_columns() {
  return requires(const Op& op) { op.column_sums; };
}

// The number of chunks of a functor's rows; 0 if it has none.
template <class Op>
int64_t row_chunks(const Op& op) {
  if constexpr (adds_columns<Op>()) {
    return op.column_sums.chunks;
  } else {
    return 0;
  }
}

// One call. Element i of row r is at (r / inner * length + i) * inner + r %
// inner of each operand; inputs come first.
struct RowArgs {
  Device device;
  int64_t rows;
  int64_t length;
  int64_t inner;
  int64_t chunks;  // see ColumnSums; 0: any order will do
  char* operands[kMaxRowOperands];
  const void* op;
};

// What Row::sums() returns.
template <class Value>
struct RowSums {
  Value first;
  Value second;
};

// What Row::moments() returns.
template <class Value>
struct RowMoments {
  Value mean;
  Value rest;  // what rounding took from the mean
  Value variance;

  // With the sum of two numbers as mean, the first of them close to it.
  static CATENA_HOST_DEVICE RowMoments around(Value near, Value step,
                                              Value variance) {
    const Value mean = near + step;
    return {mean, step - (mean - near), variance};
  }
};

struct RowFamily {
  using Kernel = void(const RowArgs& args);
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = FloatTypes;
};

}  // namespace catena::functions
