#pragma once

// CPU row kernels: a functor over contiguous rows, compiled once per
// instruction set.

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "catena/array/cpu/lanes.h"
#include "catena/array/dtype.h"
#include "catena/functions/engines/rows/row_pass.h"

namespace catena::kernels::CATENA_BACKEND {

// A functor's view of a row. S is the elements' storage type, E the type
// computed in, and there are `inputs` inputs. Functions passed to members get
// an element of each input, as lanes here and as E on CUDA; Value is one or the
// other, holding one value for the whole row.
template <class S, int inputs>
class Row {
 public:
  using Stored = S;
  using Element = typename LaneMemory<S>::E;
  using Value = Lanes<Element>;

  HWY_INLINE Row(char* const* data, int64_t length, int64_t index)
      : length_(length), index_(index) {
    for (int k = 0; k < inputs; ++k) {
      in_[k] = reinterpret_cast<const S*>(data[k]);
    }
  }
  HWY_INLINE void set_output(char* data) { out_ = reinterpret_cast<S*>(data); }

  int64_t length() const { return length_; }
  // The index of the row.
  int64_t index() const { return index_; }

  // The maximum and the sum of f over the row.
  template <class F>
  HWY_INLINE Value max(F f) const {
    return fold(Value(-std::numeric_limits<Element>::infinity()), f,
                [](Value a, Value b)
                    HWY_ATTR { return lanes_select(a > b || a != a, a, b); });
  }
  template <class F>
  HWY_INLINE Value sum(F f) const {
    return fold(Value(0), f, [](Value a, Value b) { return a + b; });
  }

  // Writes f to the output; update() may later change the stored elements.
  // store_sum also returns the sum of f before rounding.
  template <class F>
  HWY_INLINE void store(F f) const {
    each([&](int64_t i, Value x) { Memory::store(x, out_ + i); },
         [&](int64_t i, int64_t n, Value x) { store_partial(x, out_ + i, n); },
         f);
  }
  template <class F>
  HWY_INLINE Value store_sum(F f) const {
    Value total(0);
    each(
        [&](int64_t i, Value x) {
          Memory::store(x, out_ + i);
          total = total + x;
        },
        [&](int64_t i, int64_t n, Value x) {
          store_partial(x, out_ + i, n);
          total = total + first_lanes(n, x, Value(0));
        },
        f);
    return reduce_lanes(total, [](Value a, Value b) { return a + b; });
  }
  template <class F>
  HWY_INLINE void update(F f) const {
    int64_t i = 0;
    for (; i + kStep <= length_; i += kStep) {
      Memory::store(f(Memory::load(out_ + i)), out_ + i);
    }
    if (const int64_t n = length_ - i; n > 0) {
      store_partial(f(Memory::load_partial(out_ + i, n, Value(0))), out_ + i,
                    n);
    }
  }

  // The elements [begin, end) as a row.
  HWY_INLINE Row part(int64_t begin, int64_t end) const {
    Row row = *this;
    for (const S*& in : row.in_) in += begin;
    if (out_ != nullptr) row.out_ += begin;
    row.length_ = end - begin;
    return row;
  }

  // Element i of an input; sets element i of the output, or adds `added` to it.
  HWY_INLINE Element at(int64_t i, int input = 0) const {
    return static_cast<Element>(in_[input][i]);
  }
  HWY_INLINE void set_at(int64_t i, Element x) const {
    out_[i] = static_cast<S>(x);
  }
  HWY_INLINE void add_at(int64_t i, Element added) const {
    out_[i] = static_cast<S>(static_cast<Element>(out_[i]) + added);
  }

  // Convert between a value for the whole row and a number.
  static HWY_INLINE Element number(Value x) { return hn::GetLane(x.v); }
  static HWY_INLINE Value value(Element x) { return Value(x); }
  // Stores one number for the row.
  template <class T>
  static HWY_INLINE void write(T* to, Element x) {
    *to = static_cast<T>(x);
  }

 private:
  using Memory = LaneMemory<S>;
  static constexpr int64_t kStep = kLanes<Element>;

  static HWY_INLINE Value first_lanes(int64_t n, Value x, Value rest) {
    const auto first = hn::FirstN(Tag<Element>(), static_cast<size_t>(n));
    return Value(hn::IfThenElse(first, x.v, rest.v));
  }

  static HWY_INLINE void store_partial(Value x, S* to, int64_t n) {
    alignas(64) S padded[kStep];
    Memory::store(x, padded);
    std::memcpy(to, padded, static_cast<size_t>(n) * sizeof(S));
  }

  template <size_t... k, class F>
  HWY_INLINE Value load(int64_t i, F f, std::index_sequence<k...>) const {
    return f(Memory::load(in_[k] + i)...);
  }
  template <size_t... k, class F>
  HWY_INLINE Value load_partial(int64_t i, int64_t n, F f,
                                std::index_sequence<k...>) const {
    return f(Memory::load_partial(in_[k] + i, n, Value(0))...);
  }

  // Calls whole(i, f(...)) for full registers of elements and part(i, n,
  // f(...)) for the last n.
  template <class Whole, class Part, class F>
  HWY_INLINE void each(Whole whole, Part part, F f) const {
    using Inputs = std::make_index_sequence<inputs>;
    int64_t i = 0;
    for (; i + kStep <= length_; i += kStep) whole(i, load(i, f, Inputs()));
    if (const int64_t n = length_ - i; n > 0) {
      part(i, n, load_partial(i, n, f, Inputs()));
    }
  }

  template <class F, class Combine>
  HWY_INLINE Value fold(Value identity, F f, Combine combine) const {
    Value state = identity;
    each([&](int64_t, Value x) { state = combine(state, x); },
         [&](int64_t, int64_t n, Value x) {
           state = combine(state, first_lanes(n, x, identity));
         },
         f);
    return reduce_lanes(state, combine);
  }

  const S* in_[inputs];
  S* out_ = nullptr;
  int64_t length_;
  int64_t index_;
};

template <class Op, class S>
class RowLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::RowArgs& args) {
    functions::cpu::run_row_pass(args, kPass);
  }

 private:
  static void run_contiguous(char* const* data, int64_t length, int64_t first,
                             int64_t count, const void* functor) {
    constexpr int kOperands = Op::kInputs + (Op::kOutput ? 1 : 0);
    constexpr int kOwn = Op::kInputs - functions::shared_inputs<Op>();
    const Op op = *static_cast<const Op*>(functor);
    char* at[functions::kMaxRowOperands];
    for (int k = 0; k < kOperands; ++k) at[k] = data[k];
    for (int64_t row = 0; row < count; ++row) {
      Row<S, Op::kInputs> view(at, length, first + row);
      if constexpr (Op::kOutput) view.set_output(at[Op::kInputs]);
      op(view);
      for (int k = 0; k < kOperands; ++k) {
        if (k >= kOwn && k < Op::kInputs) continue;
        at[k] += length * static_cast<int64_t>(sizeof(S));
      }
    }
  }

  static constexpr functions::cpu::RowPass kPass = {
      run_contiguous, Op::kInputs, functions::shared_inputs<Op>(), Op::kOutput,
      sizeof(S)};
};

}  // namespace catena::kernels::CATENA_BACKEND
