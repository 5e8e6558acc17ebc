#pragma once

// The CPU's elementwise loops: one functor over contiguous operands, compiled
// once per instruction set.

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/array/cpu/elementwise_rows.h"
#include "catena/array/cpu/lanes.h"
#include "catena/array/kernels/elementwise_args.h"

namespace catena::kernels::CATENA_BACKEND {

// The compute type of a stored element.
template <class S>
using Compute = std::conditional_t<
    std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>, float, S>;

// Functors that cannot take lanes.
template <class Op>
concept ScalarOnly = requires {
  requires Op::kScalarOnly;
};

// Functors that return elements of type S unchanged.
template <class Op, class S>
concept Copying = requires {
  requires Op::template kCopies<S>;
};

// The type of an operand of the kernel that also serves float16, which scalars
// take long to convert.
template <class S>
using Widened = std::conditional_t<std::is_same_v<S, float16>, float, S>;

// An operand of such a kernel: if it is float16, its conversions.
struct HalfOperand {
  void (*widen)(const char* from, int64_t n, float* to) = nullptr;
  void (*narrow)(const float* from, int64_t n, char* to) = nullptr;

  template <class S>
  static constexpr HalfOperand of() {
    if constexpr (std::is_same_v<S, Widened<S>>) {
      return {};
    } else {
      return {widen_elements<S>, narrow_elements<S>};
    }
  }
};

// Runs the kernel `wide` on n elements of the operands of `row`, converting
// those of float16 a block at a time.
HWY_NOINLINE inline void run_widened(const ElementwiseRow& row,
                                     const HalfOperand* operands,
                                     decltype(ElementwiseRow::run) wide,
                                     char* const* data, int64_t n,
                                     const void* functor) {
  constexpr int64_t kBlock = 512;
  alignas(64) float blocks[kMaxOperands][kBlock];
  char* from[kMaxOperands];
  char* at[kMaxOperands];
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = n - begin < kBlock ? n - begin : kBlock;
    for (int k = 0; k < row.noperands; ++k) {
      at[k] = from[k] = data[k] + begin * row.item_sizes[k];
      if (operands[k].widen == nullptr) continue;
      at[k] = reinterpret_cast<char*>(blocks[k]);
      if (k < row.ninputs || row.updates) {
        operands[k].widen(from[k], count, blocks[k]);
      }
    }
    wide(at, count, functor, false);
    for (int k = row.ninputs; k < row.noperands; ++k) {
      if (operands[k].narrow != nullptr) {
        operands[k].narrow(blocks[k], count, from[k]);
      }
    }
  }
}

// Calls the functor on registers. Not declared inline, so that the compiler
// inlines only small functors: for the last elements, and where memory is
// slower, a call costs nothing.
template <class Op, class L, class... Ls>
L call_functor(Op op, L x, Ls... xs) {
  return op(x, xs...);
}

template <class Op, class In, class Out>
class ElementwiseLoop;

// In and Out are the storage types of the functor's operands. A functor that
// can be called with the inputs alone returns the one output; any other also
// takes the outputs by reference, with their current values, and updates them.
template <class Op, class... In, class... Out>
class ElementwiseLoop<Op, TypeList<In...>, TypeList<Out...>> {
 public:
  // The kernel as the slot's table holds it.
  static void run(const ElementwiseArgs& args) {
    run_elementwise_rows(args, kRow);
  }

 private:
  template <class, class, class>
  friend class ElementwiseLoop;

  static constexpr int kInputs = sizeof...(In);
  static constexpr int kOperands = kInputs + sizeof...(Out);
  using Stored = std::tuple<In..., Out...>;
  template <size_t k>
  using Element = std::tuple_element_t<k, Stored>;
  using Indexes = std::make_index_sequence<kOperands>;
  using InputIndexes = std::make_index_sequence<kInputs>;

  static constexpr bool kUpdates =
      !std::is_invocable_v<const Op&, Compute<In>...>;

  using Lane = Compute<Element<kOperands - 1>>;
  static constexpr bool kVectorized =
      !ScalarOnly<Op> && std::is_floating_point_v<Lane> &&
      (std::is_same_v<Compute<In>, Lane> && ...) &&
      (std::is_same_v<Compute<Out>, Lane> && ...);

  using WideLoop =
      ElementwiseLoop<Op, TypeList<Widened<In>...>, TypeList<Widened<Out>...>>;
  static constexpr bool kWidens =
      !kVectorized && !std::is_same_v<WideLoop, ElementwiseLoop>;
  static constexpr HalfOperand kHalfOperands[] = {HalfOperand::of<In>()...,
                                                  HalfOperand::of<Out>()...};

  template <size_t k>
  static HWY_INLINE Element<k>* at(char* const* data, int64_t i) {
    return reinterpret_cast<Element<k>*>(data[k]) + i;
  }

  // Calls the functor on the elements at i.
  template <size_t... k, size_t... in>
  static HWY_INLINE void scalar_step(char* const* data, int64_t i, const Op& op,
                                     std::index_sequence<k...>,
                                     std::index_sequence<in...>) {
    if constexpr (kUpdates) {
      std::tuple<Compute<Element<k>>...> values(
          static_cast<Compute<Element<k>>>(*at<k>(data, i))...);
      op(std::get<k>(values)...);
      ((k >= kInputs ? void(*at<k>(data, i) =
                                static_cast<Element<k>>(std::get<k>(values)))
                     : void()),
       ...);
    } else {
      *at<kInputs>(data, i) = static_cast<Element<kInputs>>(
          op(static_cast<Compute<Element<in>>>(*at<in>(data, i))...));
    }
  }

  // What a vector step moves: full registers, full registers with non-temporal
  // stores, or the last elements, fewer than a register holds.
  enum class Step { kWhole, kStreamed, kSome };

  template <Step step, size_t k>
  static HWY_INLINE Lanes<Lane> load(char* const* data, int64_t i, int64_t n) {
    using Memory = LaneMemory<Element<k>>;
    if constexpr (step == Step::kSome) {
      return Memory::load_partial(at<k>(data, i), n, Lanes<Lane>(0));
    } else {
      return Memory::load(at<k>(data, i));
    }
  }

  template <Step step, size_t k>
  static HWY_INLINE void store(Lanes<Lane> value, char* const* data, int64_t i,
                               int64_t n) {
    using Memory = LaneMemory<Element<k>>;
    if constexpr (k < kInputs) {
      return;
    } else if constexpr (step == Step::kSome) {
      Memory::store_partial(value, at<k>(data, i), n);
    } else if constexpr (step == Step::kStreamed) {
      Memory::stream(value, at<k>(data, i));
    } else {
      Memory::store(value, at<k>(data, i));
    }
  }

  // Calls the functor on a register of elements from i on. Every element is
  // computed by the same instructions whatever its position.
  template <Step step, size_t... k, size_t... in>
  static HWY_INLINE void vector_step(char* const* data, int64_t i, int64_t n,
                                     const Op& op, std::index_sequence<k...>,
                                     std::index_sequence<in...>) {
    if constexpr (kUpdates) {
      std::tuple values(load<step, k>(data, i, n)...);
      op(std::get<k>(values)...);
      (store<step, k>(std::get<k>(values), data, i, n), ...);
    } else if constexpr (step == Step::kWhole) {
      store<step, kInputs>(op(load<step, in>(data, i, n)...), data, i, n);
    } else {
      store<step, kInputs>(call_functor(op, load<step, in>(data, i, n)...),
                           data, i, n);
    }
  }

  static void contiguous(char* const* data, int64_t n, const void* functor,
                         [[maybe_unused]] bool non_temporal) {
    if constexpr (kWidens) {
      run_widened(kRow, kHalfOperands, WideLoop::contiguous, data, n, functor);
    } else {
      run_directly(data, n, *static_cast<const Op*>(functor), non_temporal);
    }
  }

  static HWY_INLINE void run_directly(char* const* data, int64_t n, const Op op,
                                      [[maybe_unused]] bool non_temporal) {
    int64_t i = 0;
    if constexpr (kVectorized) {
      constexpr int64_t kStep = kLanes<Lane>;
      if constexpr (kStreams) {
        for (; non_temporal && i + kStep <= n; i += kStep) {
          vector_step<Step::kStreamed>(data, i, kStep, op, Indexes(),
                                       InputIndexes());
        }
      }
      for (; i + kStep <= n; i += kStep) {
        vector_step<Step::kWhole>(data, i, kStep, op, Indexes(),
                                  InputIndexes());
      }
      if (i < n) {
        vector_step<Step::kSome>(data, i, n - i, op, Indexes(), InputIndexes());
      }
    } else {
      if constexpr (kStreams) {
        for (; non_temporal && i + kPiece <= n; i += kPiece) {
          stream_piece(data, i, op, InputIndexes());
        }
      }
      CATENA_IVDEP
      for (; i < n; ++i) scalar_step(data, i, op, Indexes(), InputIndexes());
    }
  }

  // The number of elements that a scalar functor computes per non-temporal
  // store: whole cache lines, few enough for the processor to overlap reading
  // and writing.
  static constexpr int64_t kPiece = 256 / sizeof(Element<kOperands - 1>);

  template <size_t... in>
  static HWY_INLINE void stream_piece(char* const* data, int64_t i,
                                      const Op& op,
                                      std::index_sequence<in...>) {
    using Result = Element<kInputs>;
    alignas(64) Result piece[kPiece];
    CATENA_IVDEP
    for (int64_t j = 0; j < kPiece; ++j) {
      piece[j] = static_cast<Result>(
          op(static_cast<Compute<Element<in>>>(*at<in>(data, i + j))...));
    }
    const Tag<uint8_t> bytes;
    const auto* from = reinterpret_cast<const uint8_t*>(piece);
    auto* to = reinterpret_cast<uint8_t*>(at<kInputs>(data, i));
    for (size_t b = 0; b < sizeof(piece); b += hn::Lanes(bytes)) {
      hn::Stream(hn::Load(bytes, from + b), bytes, to + b);
    }
  }

  // The results of a widened kernel are streamed by its caller.
  static constexpr bool kStreams = !kUpdates && !kWidens;

  static constexpr ElementwiseRow kRow = {
      contiguous,
      kOperands,
      kInputs,
      kUpdates,
      kStreams,
      Copying<Op, Element<0>>,
      {static_cast<int8_t>(sizeof(In))...,
       static_cast<int8_t>(sizeof(Out))...}};
};

}  // namespace catena::kernels::CATENA_BACKEND
