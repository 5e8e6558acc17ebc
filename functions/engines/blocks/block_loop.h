#pragma once

// CPU block kernels, compiled once per instruction set.

#include <cstdint>
#include <limits>

#include "catena/array/core/dtype.h"
#include "catena/array/core/parallel.h"
#include "catena/array/cpu/lanes.h"
#include "catena/functions/engines/blocks/block_args.h"

namespace catena::kernels::CATENA_BACKEND {

// A functor's view of an item. S is the type of the caller's arrays, Element
// the type computed in. Functions passed to members get lanes here and scalars
// on CUDA, or integers where noted. Pointers may be to Stored or Element. Later
// members may read what earlier ones wrote; a member may write an array that it
// reads only at the same element.
template <class S>
class Block {
 public:
  using Stored = S;
  using Element = typename LaneMemory<S>::E;
  using Term = functions::WeightedVector<S, Element>;

  HWY_INLINE explicit Block(int64_t index) : index_(index) {}

  // The index of the item.
  int64_t index() const { return index_; }

  // out[i] = f(in[i]...) for i from 0 to n - 1.
  template <class Out, class F, class... In>
  HWY_INLINE void map(int64_t n, Out* out, F f, const In*... in) const {
    using Memory = LaneMemory<Out>;
    int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
      Memory::store(f(LaneMemory<In>::load(in + i)...), out + i);
    }
    if (const int64_t rest = n - i; rest > 0) {
      Memory::store_partial(
          f(LaneMemory<In>::load_partial(in + i, rest, Value(0))...), out + i,
          rest);
    }
  }

  // The sum and the maximum of f(in[i]...); the maximum over no elements is
  // -inf.
  template <class F, class... In>
  HWY_INLINE Element sum(int64_t n, F f, const In*... in) const {
    return fold(
        n, Value(0), [](Value a, Value b) { return a + b; }, f, in...);
  }
  template <class F, class... In>
  HWY_INLINE Element max(int64_t n, F f, const In*... in) const {
    return fold(
        n, Value(-std::numeric_limits<Element>::infinity()),
        [](Value a, Value b)
            HWY_ATTR { return lanes_select(a > b || a != a, a, b); },
        f, in...);
  }

  // out[i] = sum over k of weight[k] values[k][i], where term(k) returns both,
  // for k from 0 to count - 1, in that order.
  template <class Out, class F>
  HWY_INLINE void combine(int64_t n, Out* out, int64_t count, F term) const {
    int64_t i = 0;
    for (; i + 4 * kStep <= n; i += 4 * kStep) {
      combine_registers<4>(out, i, count, term);
    }
    for (; i + kStep <= n; i += kStep) {
      combine_registers<1>(out, i, count, term);
    }
    if (const int64_t rest = n - i; rest > 0) {
      Value total(0);
      for (int64_t k = 0; k < count; ++k) {
        const Term t = term(k);
        if (t.values == nullptr) continue;
        total = total + Value(t.weight) * LaneMemory<S>::load_partial(
                                              t.values + i, rest, Value(0));
      }
      LaneMemory<Out>::store_partial(total, out + i, rest);
    }
  }

  // f(i) for each integer from 0 to n - 1, in any order.
  template <class F>
  HWY_INLINE void each(int64_t n, F f) const {
    for (int64_t i = 0; i < n; ++i) f(i);
  }
  // f() once.
  template <class F>
  HWY_INLINE void once(F f) const {
    f();
  }
  template <class Out>
  HWY_INLINE void write(Out* to, Element x) const {
    *to = static_cast<Out>(x);
  }

 private:
  using Value = Lanes<Element>;
  static constexpr int64_t kStep = kLanes<Element>;

  template <class Combine, class F, class... In>
  HWY_INLINE Element fold(int64_t n, Value identity, Combine combine, F f,
                          const In*... in) const {
    Value state = identity;
    int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
      state = combine(state, f(LaneMemory<In>::load(in + i)...));
    }
    if (const int64_t rest = n - i; rest > 0) {
      const Value x =
          f(LaneMemory<In>::load_partial(in + i, rest, Value(0))...);
      const auto first = hn::FirstN(Tag<Element>(), static_cast<size_t>(rest));
      state = combine(state, Value(hn::IfThenElse(first, x.v, identity.v)));
    }
    return hn::GetLane(reduce_lanes(state, combine).v);
  }

  template <int registers, class Out, class F>
  HWY_INLINE void combine_registers(Out* out, int64_t i, int64_t count,
                                    F term) const {
    Value totals[registers];
    for (Value& total : totals) total = Value(0);
    for (int64_t k = 0; k < count; ++k) {
      const Term t = term(k);
      if (t.values == nullptr) continue;
      const Value weight(t.weight);
      for (int r = 0; r < registers; ++r) {
        totals[r] = Value(hn::MulAdd(
            weight.v, LaneMemory<S>::load(t.values + i + r * kStep).v,
            totals[r].v));
      }
    }
    for (int r = 0; r < registers; ++r) {
      LaneMemory<Out>::store(totals[r], out + i + r * kStep);
    }
  }

  int64_t index_;
};

template <class Op, class S>
class BlockLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::BlockArgs& args) {
    const Op op = *static_cast<const Op*>(args.op);
    catena::cpu::parallel_for(args.blocks, args.grain,
                              [&](int64_t begin, int64_t end) {
                                for (int64_t i = begin; i < end; ++i) {
                                  op(Block<S>(i));
                                }
                              });
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
