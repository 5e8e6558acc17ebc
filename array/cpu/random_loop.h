#pragma once

// The CPU's loop over a distribution, compiled once per instruction set.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "catena/array/cpu/parallel.h"
#include "catena/array/philox.h"
#include "catena/array/random_kernel.h"
#include "hwy/highway.h"

namespace catena::array::CATENA_BACKEND {

// The words of one group of counters: words[k][lane].
struct WordGroup {
  alignas(64) uint32_t words[4][kCounterGroup];
};

#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;
using WordTag = hn::ScalableTag<uint32_t>;
using WordVector = hn::Vec<WordTag>;

struct WideProduct {
  WordVector high;
  WordVector low;
};

HWY_INLINE WideProduct multiply_wide(WordVector a, uint32_t factor) {
  const WordTag d;
  const hn::RepartitionToWide<WordTag> wide;
  const auto b = hn::Set(d, factor);
  const auto even = hn::MulEven(a, b);
  const auto shifted = hn::ShiftRight<32>(hn::BitCast(wide, a));
  const auto odd = hn::MulEven(hn::BitCast(d, shifted), b);
  return {hn::OddEven(hn::BitCast(d, odd),
                      hn::BitCast(d, hn::ShiftRight<32>(even))),
          hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)),
                      hn::BitCast(d, even))};
}

// philox() of as many counters as a register holds. The counters of a group
// differ in their lowest bits alone.
HWY_INLINE void philox_group(uint64_t first, uint64_t key, WordGroup& group) {
  const WordTag d;
  constexpr int kStep = HWY_LANES(uint32_t);
  static_assert(kCounterGroup % kStep == 0);
  for (int lane = 0; lane < kCounterGroup; lane += kStep) {
    WordVector v0 = hn::Iota(d, static_cast<uint32_t>(first) + lane);
    WordVector v1 = hn::Set(d, static_cast<uint32_t>(first >> 32));
    WordVector v2 = hn::Zero(d);
    WordVector v3 = hn::Zero(d);
    auto key_low = static_cast<uint32_t>(key);
    auto key_high = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < kPhiloxRounds; ++round) {
      const WideProduct a = multiply_wide(v0, kPhiloxFactor0);
      const WideProduct b = multiply_wide(v2, kPhiloxFactor1);
      v0 = hn::Xor(hn::Xor(b.high, v1), hn::Set(d, key_low));
      v1 = b.low;
      v2 = hn::Xor(hn::Xor(a.high, v3), hn::Set(d, key_high));
      v3 = a.low;
      key_low += kPhiloxKeyStep0;
      key_high += kPhiloxKeyStep1;
    }
    hn::Store(v0, d, group.words[0] + lane);
    hn::Store(v1, d, group.words[1] + lane);
    hn::Store(v2, d, group.words[2] + lane);
    hn::Store(v3, d, group.words[3] + lane);
  }
}

#else

HWY_INLINE void philox_group(uint64_t first, uint64_t key, WordGroup& group) {
  for (int lane = 0; lane < kCounterGroup; ++lane) {
    const PhiloxWords words = philox(first + lane, key);
    for (int k = 0; k < 4; ++k) group.words[k][lane] = words.v[k];
  }
}

#endif

template <class Op, class T>
class RandomLoop {
 public:
  // The kernel as the slot's table holds it.
  static void run(const RandomArgs& args) {
    // Fewer groups a thread cost less than waking it.
    constexpr int64_t kGrain = 256;
    const int64_t groups = (args.size + kGroupValues - 1) / kGroupValues;
    catena::cpu::parallel_for(groups, kGrain, [&](int64_t begin, int64_t end) {
      const Op op = *static_cast<const Op*>(args.op);
      for (int64_t g = begin; g < end; ++g) {
        alignas(64) T values[kGroupValues];
        WordGroup group;
        philox_group(args.first + static_cast<uint64_t>(g) * kCounterGroup,
                     args.key, group);
        fill(op, group, values, Calls());
        const int64_t at = g * kGroupValues;
        const int64_t n = std::min<int64_t>(kGroupValues, args.size - at);
        std::memcpy(reinterpret_cast<T*>(args.out) + at, values,
                    static_cast<size_t>(n) * sizeof(T));
      }
    });
  }

 private:
  static constexpr int kWords = Op::template kWords<T>;
  static constexpr int kValues = Op::template kValues<T>;
  static constexpr int kGroupValues = kValuesPerCounter<Op, T> * kCounterGroup;
  using Calls = std::make_index_sequence<4 / kWords>;

  template <size_t... call>
  static HWY_INLINE void fill(const Op& op, const WordGroup& group, T* values,
                              std::index_sequence<call...>) {
    (fill_call(op, group.words + call * kWords,
               values + call * kValues * kCounterGroup,
               std::make_index_sequence<kWords>(),
               std::make_index_sequence<kValues>()),
     ...);
  }

  // One call of the functor for every lane; vectorized by the compiler.
  template <size_t... w, size_t... v>
  static HWY_INLINE void fill_call(const Op& op,
                                   const uint32_t (*words)[kCounterGroup],
                                   T* values, std::index_sequence<w...>,
                                   std::index_sequence<v...>) {
#pragma omp simd
    for (int lane = 0; lane < kCounterGroup; ++lane) {
      const uint32_t in[kWords] = {words[w][lane]...};
      T out[kValues];
      op(in, out);
      ((values[v * kCounterGroup + lane] = out[v]), ...);
    }
  }
};

}  // namespace catena::array::CATENA_BACKEND
