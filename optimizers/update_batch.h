#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <span>
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
//
// In a step that is captured in a graph (captured_work.h), a functor is part of
// the graph. Where its numbers change from step to step, add a function that
// makes it, which each launch of the graph calls again.
class UpdateBatch {
 public:
  // Adds an update functor op(in..., inout&...) over arrays of one shape, dtype
  // (see update_slot.h for others) and device, which changes the inout arrays
  // in one pass over memory. Nothing happens until run(). The functor's kernels
  // must be linked (kernel_library, see update_kernels.cc). Throws ShapeError,
  // DtypeError or DeviceError naming the functor when the arrays differ.
  template <class Op>
  void add(const Op& op, std::initializer_list<Array> in,
           std::initializer_list<Array> inout) {
    static_assert(sizeof(Op) <= kMaxOpBytes);
    static_assert(std::is_trivially_copyable_v<Op>);
    add(update_kernels<Op>, {&op, sizeof(Op)}, in, inout);
  }
  // The same for the functor that make_op() returns.
  template <std::invocable MakeOp>
  void add(const MakeOp& make_op, std::initializer_list<Array> in,
           std::initializer_list<Array> inout) {
    using Op = std::invoke_result_t<const MakeOp&>;
    static_assert(sizeof(Op) <= kMaxOpBytes);
    static_assert(std::is_trivially_copyable_v<Op>);
    const Op op = make_op();
    if (is_captured(inout)) {
      add(update_kernels<Op>,
          {&op, sizeof(Op),
           [make_op](void* to) {
             const Op made = make_op();
             std::memcpy(to, &made, sizeof(Op));
           }},
          in, inout);
    } else {
      add(update_kernels<Op>, {&op, sizeof(Op)}, in, inout);
    }
  }

  // Runs and removes all added updates. Equal functors run together, in the
  // order they were first added.
  void run();

 private:
  static constexpr size_t kMaxOpBytes = 64;

  using WriteOp = std::function<void(void* to)>;

  struct AddedOp {
    const void* op;
    size_t bytes;
    WriteOp write = nullptr;  // if each launch of a graph makes it anew
  };

  // The arrays of one functor or, if it is made anew, of one type of functor.
  struct Group {
    UpdateKernels kernels;
    Device device;
    Dtype dtype;
    size_t ninputs;
    size_t noperands;
    size_t op_bytes;
    alignas(8) std::array<char, kMaxOpBytes> op;
    std::vector<Array> operands;  // those of the first add(), then of the next
    std::vector<WriteOp> writes;  // one for each add(), or none
  };

  static bool is_captured(std::initializer_list<Array> inout);
  void add(const UpdateKernels& kernels, AddedOp op,
           std::initializer_list<Array> in, std::initializer_list<Array> inout);
  static std::vector<int64_t> item_sizes(const Group& group);
  static void run_group(const Group& group);
  static void run_captured(const Group& group, bool together);
  static void run_captured(const Group& group, std::span<const Array> operands,
                           const char* captured);

  std::vector<Group> groups_;
};

}  // namespace catena::optimizers
