#pragma once

// CPU cell kernels: a functor over contiguous streams, compiled once per
// instruction set.

#include <cstdint>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/cpu/lanes.h"
#include "catena/functions/engines/cells/cell_pass.h"

namespace catena::kernels::CATENA_BACKEND {

// A functor's view of a register of units starting at unit i, or of the last n
// units.
template <class S, bool is_whole>
class Cell {
 public:
  using Value = Lanes<typename LaneMemory<S>::E>;

  HWY_INLINE Cell(char* const* data, int inputs, int64_t i, int64_t n)
      : data_(data), inputs_(inputs), i_(i), n_(n) {}

  HWY_INLINE Value in(int k) const {
    const S* from = reinterpret_cast<const S*>(data_[k]) + i_;
    if constexpr (is_whole) {
      return LaneMemory<S>::load(from);
    } else {
      return LaneMemory<S>::load_partial(from, n_, Value(0));
    }
  }
  HWY_INLINE Value in_or_zero(int k) const {
    return data_[k] == nullptr ? Value(0) : in(k);
  }
  HWY_INLINE void out(int k, Value value) const {
    char* const data = data_[inputs_ + k];
    if (data == nullptr) return;
    S* to = reinterpret_cast<S*>(data) + i_;
    if constexpr (is_whole) {
      LaneMemory<S>::store(value, to);
    } else {
      LaneMemory<S>::store_partial(value, to, n_);
    }
  }

 private:
  char* const* data_;
  int inputs_;
  int64_t i_;
  int64_t n_;
};

// Converts between interleaved words and one stream per position.
template <class Word>
class Interleaving {
 public:
  static void split(char* const* to, const char* from, int count, int64_t n) {
    const auto* source = reinterpret_cast<const Word*>(from);
    int64_t i = 0;
    if (count == 4) {
      const Tag<Word> d;
      for (; i + kStep <= n; i += kStep) {
        hn::Vec<Tag<Word>> a, b, c, e;
        hn::LoadInterleaved4(d, source + 4 * i, a, b, c, e);
        hn::StoreU(a, d, word(to[0]) + i);
        hn::StoreU(b, d, word(to[1]) + i);
        hn::StoreU(c, d, word(to[2]) + i);
        hn::StoreU(e, d, word(to[3]) + i);
      }
    }
    for (; i < n; ++i) {
      for (int k = 0; k < count; ++k) word(to[k])[i] = source[i * count + k];
    }
  }

  static void join(char* to, char* const* from, int count, int64_t n) {
    Word* target = word(to);
    int64_t i = 0;
    if (count == 4) {
      const Tag<Word> d;
      for (; i + kStep <= n; i += kStep) {
        hn::StoreInterleaved4(
            hn::LoadU(d, word(from[0]) + i), hn::LoadU(d, word(from[1]) + i),
            hn::LoadU(d, word(from[2]) + i), hn::LoadU(d, word(from[3]) + i), d,
            target + 4 * i);
      }
    }
    for (; i < n; ++i) {
      for (int k = 0; k < count; ++k) target[i * count + k] = word(from[k])[i];
    }
  }

 private:
  static constexpr int64_t kStep = kLanes<Word>;
  static Word* word(char* data) { return reinterpret_cast<Word*>(data); }
};

template <class Op, class S>
class CellLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::CellArgs& args) {
    functions::cpu::run_cell_pass(args, kPass);
  }

 private:
  using Word = std::conditional_t<
      sizeof(S) == 2, uint16_t,
      std::conditional_t<sizeof(S) == 4, uint32_t, uint64_t>>;

  static void run_contiguous(char* const* data, int inputs, int64_t n,
                             const void* functor) {
    constexpr int64_t kStep = kLanes<typename LaneMemory<S>::E>;
    const Op op = *static_cast<const Op*>(functor);
    int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
      Cell<S, true> cell(data, inputs, i, kStep);
      op(cell);
    }
    if (i < n) {
      Cell<S, false> cell(data, inputs, i, n - i);
      op(cell);
    }
  }

  static constexpr functions::cpu::CellPass kPass = {
      run_contiguous, Interleaving<Word>::split, Interleaving<Word>::join,
      sizeof(S)};
};

}  // namespace catena::kernels::CATENA_BACKEND
