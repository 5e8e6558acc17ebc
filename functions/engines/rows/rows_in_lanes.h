#pragma once

// Rows that lie side by side in memory, one a lane. Compiled once per
// instruction set, in its namespace.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "catena/array/cpu/lanes.h"

namespace catena::kernels::CATENA_BACKEND {

// A functor's view of neighbouring rows whose elements are side by side, one
// row a lane: Row's members for functors with kInLanes. A value has a number
// for each row.
template <class S, int inputs>
class RowsInLanes {
 public:
  using Stored = S;
  using Element = typename LaneMemory<S>::E;
  using Value = Lanes<Element>;
  static constexpr bool kIsOne = false;

  // Operands hold `stride` rows side by side. The first `count` lanes are rows,
  // from `index` on.
  HWY_INLINE RowsInLanes(char* const* operands, void* scratch, int64_t length,
                         int64_t stride, int64_t index, int64_t count)
      : length_(length),
        stride_(stride),
        index_(index),
        count_(count),
        scratch_(static_cast<Element*>(scratch)) {
    for (int k = 0; k < inputs; ++k) {
      in_[k] = reinterpret_cast<const S*>(operands[k]);
    }
  }
  HWY_INLINE void set_output(char* data) { out_ = reinterpret_cast<S*>(data); }

  int64_t length() const { return length_; }
  bool is_long() const {
    constexpr int64_t kMaxKeptBytes = 64 << 10;
    return length_ * kStep * static_cast<int64_t>(sizeof(Element)) >
           kMaxKeptBytes;
  }

  template <class F>
  HWY_INLINE Value max(F f) const {
    return fold(
        Value(-std::numeric_limits<Element>::infinity()),
        [&](int64_t i) { return load(i, f, Inputs()); },
        [](Value a, Value b) HWY_ATTR { return lanes_max(a, b); });
  }
  template <class F>
  HWY_INLINE Value sum(F f) const {
    return fold(
        Value(0), [&](int64_t i) { return load(i, f, Inputs()); },
        [](Value a, Value b) { return a + b; });
  }

  template <class F>
  HWY_INLINE void store(F f) const {
    for (int64_t i = 0; i < length_; ++i) put(load(i, f, Inputs()), i);
  }
  template <class Label, class F>
  HWY_INLINE void store_less_at(Label label, F f, Value c) const {
    const Value at = value_of(
        [&](const One& one) { return static_cast<Element>(label(one)); });
    for (int64_t i = 0; i < length_; ++i) {
      const Value y = load(i, f, Inputs());
      const Value element(static_cast<Element>(i));
      put(lanes_select(at == element, y - c, y), i);
    }
  }
  template <class F>
  HWY_INLINE Value store_sum(F f) const {
    const auto keep = [&](int64_t i) HWY_ATTR {
      const Value x = load(i, f, Inputs());
      LaneMemory<Element>::store(x, scratch_ + i * kStep);
      return x;
    };
    return fold(Value(0), keep, [](Value a, Value b) { return a + b; });
  }
  template <class F>
  HWY_INLINE void update(F f) const {
    for (int64_t i = 0; i < length_; ++i) {
      put(f(LaneMemory<Element>::load(scratch_ + i * kStep)), i);
    }
  }

  static HWY_INLINE Value value(Element x) { return Value(x); }
  // One of the rows.
  class One {
   public:
    HWY_INLINE One(const RowsInLanes& rows, int64_t lane)
        : rows_(rows), lane_(lane) {}
    int64_t index() const { return rows_.index_ + lane_; }
    HWY_INLINE Element at(int64_t i, int input = 0) const {
      return static_cast<Element>(rows_.in_[input][i * rows_.stride_ + lane_]);
    }

   private:
    const RowsInLanes& rows_;
    int64_t lane_;
  };
  template <class F>
  HWY_INLINE Value value_of(F f) const {
    alignas(64) Element lanes[kStep] = {};
    for (int64_t k = 0; k < count_; ++k) lanes[k] = f(One(*this, k));
    return LaneMemory<Element>::load(lanes);
  }
  template <class T>
  HWY_INLINE Value read(const T* of_rows) const {
    return LaneMemory<T>::load_partial(of_rows + index_, count_, Value(0));
  }
  template <class T>
  HWY_INLINE void write(T* of_rows, Value x) const {
    LaneMemory<T>::store_partial(x, of_rows + index_, count_);
  }

 private:
  using Memory = LaneMemory<S>;
  using Inputs = std::make_index_sequence<inputs>;
  static constexpr int64_t kStep = kLanes<Element>;

  template <size_t... k, class F>
  HWY_INLINE Value load(int64_t i, F f, std::index_sequence<k...>) const {
    return f(Memory::load(in_[k] + i * stride_)...);
  }
  HWY_INLINE void put(Value x, int64_t i) const {
    Memory::store(x, out_ + i * stride_);
  }

  // Combines term(i) for all i, in two levels, so that long sums are as precise
  // as those of a row whose terms are divided among lanes.
  template <class Term, class Combine>
  HWY_INLINE Value fold(Value identity, Term term, Combine combine) const {
    constexpr int64_t kTerms = 64;
    Value total = identity;
    for (int64_t first = 0; first < length_; first += kTerms) {
      const int64_t end = std::min(first + kTerms, length_);
      Value states[2] = {identity, identity};
      int64_t i = first;
      for (; i + 2 <= end; i += 2) {
        states[0] = combine(states[0], term(i));
        states[1] = combine(states[1], term(i + 1));
      }
      if (i < end) states[0] = combine(states[0], term(i));
      total = combine(total, combine(states[0], states[1]));
    }
    return total;
  }

  const S* in_[inputs];
  S* out_ = nullptr;
  int64_t length_;
  int64_t stride_;
  int64_t index_;
  int64_t count_;
  Element* scratch_;
};

}  // namespace catena::kernels::CATENA_BACKEND
