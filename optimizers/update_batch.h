#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/optimizers/update_slot.h"

namespace catena::optimizers {

// Whether updates on a GPU take place, which only the GPU knows: float64
// scalars there.
struct UpdateGate {
  Array is_open;  // 0: updates change nothing
  Array skipped;  // by how much the t of recipes is too large
};

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
// makes it, or the StepRecipe that it is made from, which each launch of the
// graph calls again.
//
// A gate keeps updates on its device from changing anything, if it is closed
// when they run, which the host need not know; only recipes can then depend on
// the number of the step.
class UpdateBatch {
 public:
  explicit UpdateBatch(std::shared_ptr<const UpdateGate> gate = nullptr)
      : gate_(std::move(gate)) {}

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
  // The same for the functor that make() returns, or makes from a recipe.
  template <std::invocable Make>
  void add(const Make& make, std::initializer_list<Array> in,
           std::initializer_list<Array> inout) {
    using Made = std::invoke_result_t<const Make&>;
    static_assert(std::is_trivially_copyable_v<Made>);
    if constexpr (StepRecipe<Made>) {
      using Op = typename Made::Functor;
      const auto make_op = [make] {
        const Made recipe = make();
        return recipe.functor(recipe.t);
      };
      if (is_gated(inout)) {
        add_made<Op>(make_op(), make, &make_functors_slot<Made>, in, inout);
      } else {
        add(make_op, in, inout);
      }
    } else if (is_captured(inout)) {
      add_made<Made>(make(), make, nullptr, in, inout);
    } else {
      add(make(), in, inout);
    }
  }

  // What is added from now on runs after what was added before, also where
  // functors are equal.
  void then() { stage_ = groups_.size(); }

  // Runs and removes all added updates. Equal functors run together, in the
  // order they were first added. Where several change the same arrays, the CPU
  // runs them on a part of the elements that its caches hold, then on the next.
  void run();

 private:
  static constexpr size_t kMaxOpBytes = 64;

  using WriteOp = std::function<void(void* to)>;

  struct AddedOp {
    const void* op;
    size_t bytes;
    // If the device reads the functor from memory: writes it or its recipe.
    WriteOp write = nullptr;
    size_t written_bytes = 0;
    const KernelSlot<MakeFunctorsFn>* make_functors = nullptr;  // from recipes
  };

  // The arrays of one functor or, if it is read from memory, of one type of
  // functor.
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
    size_t written_bytes;
    const KernelSlot<MakeFunctorsFn>* make_functors;
  };

  static bool is_captured(std::initializer_list<Array> inout);
  bool is_gated(std::initializer_list<Array> inout) const;
  template <class Op, class Make>
  void add_made(const Op& op, const Make& make,
                const KernelSlot<MakeFunctorsFn>* make_functors,
                std::initializer_list<Array> in,
                std::initializer_list<Array> inout) {
    using Made = std::invoke_result_t<const Make&>;
    static_assert(sizeof(Op) <= kMaxOpBytes);
    add(update_kernels<Op>,
        {&op, sizeof(Op),
         [make](void* to) {
           const Made made = make();
           std::memcpy(to, &made, sizeof(Made));
         },
         sizeof(Made), make_functors},
        in, inout);
  }
  void add(const UpdateKernels& kernels, AddedOp op,
           std::initializer_list<Array> in, std::initializer_list<Array> inout);
  static std::vector<int64_t> item_sizes(const Group& group);
  // How a group runs, with the memory that this takes.
  struct Launch;
  // Updates of the CPU by several functors in one pass over memory.
  struct Pass;
  Launch prepare(const Group& group) const;
  std::optional<Pass> one_pass(std::span<const Group> groups,
                               std::span<const Launch> launches) const;
  static void run_pass(const Pass& pass);
  void run_group(const Group& group, const Launch& launch) const;
  void run_on_device(const Group& group, const Launch& launch) const;
  Array written_functors(const Group& group) const;
  static void run_flat(const Group& group, std::span<const Array> operands,
                       const char* written, const double* gate);

  std::shared_ptr<const UpdateGate> gate_;
  std::vector<Group> groups_;
  size_t stage_ = 0;  // the first group that equal functors may join
};

}  // namespace catena::optimizers
