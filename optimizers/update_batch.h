#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "catena/array/array.h"
#include "catena/optimizers/update_slot.h"

namespace catena::optimizers {

// Runs many updates together, so that many small parameters cost about as much
// as one large one: on the CPU, threads share the elements of all arrays; on
// CUDA, one launch handles dozens of arrays. Updates that write to the same
// memory run one after the other.
//
//   UpdateBatch batch;
//   for (...) batch.add(SGDOp{lr}, {grad}, {param});
//   batch.run();
class UpdateBatch {
 public:
  // Adds an update functor op(in..., inout&...) over arrays of one shape, dtype
  // and device, which changes the inout arrays in one pass over memory. Nothing
  // happens until run(). The functor's kernels must be linked (kernel_library,
  // see update_kernels.cc). Throws ShapeError, DtypeError or DeviceError naming
  // the functor when the arrays differ.
  template <class Op>
  void add(const Op& op, std::initializer_list<Array> in,
           std::initializer_list<Array> inout) {
    static_assert(sizeof(Op) <= kMaxOpBytes);
    static_assert(std::is_trivially_copyable_v<Op>);
    add(update_kernels<Op>, &op, sizeof(Op), in, inout);
  }

  // Runs and removes all added updates. Equal functors run together, in the
  // order they were first added.
  void run();

 private:
  static constexpr size_t kMaxOpBytes = 64;

  // The arrays of one functor.
  struct Group {
    UpdateKernels kernels;
    Device device;
    Dtype dtype;
    size_t ninputs;
    size_t noperands;
    alignas(8) std::array<char, kMaxOpBytes> op;
    std::vector<Array> operands;  // those of the first add(), then of the next
  };

  void add(const UpdateKernels& kernels, const void* op, size_t op_bytes,
           std::initializer_list<Array> in, std::initializer_list<Array> inout);
  static void run_group(const Group& group);

  std::vector<Group> groups_;
};

}  // namespace catena::optimizers
