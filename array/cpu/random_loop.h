#pragma once

// The CPU's loop over a distribution, compiled once per instruction set.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "catena/array/core/parallel.h"
#include "catena/array/core/stream_bytes.h"
#include "catena/array/kernels/philox.h"
#include "catena/array/kernels/random_kernel.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

// The words of one group of counters: words[k][lane].
struct WordGroup {
  alignas(64) uint32_t words[4][kCounterGroup];
};

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using WordTag = hn::ScalableTag<uint32_t>;
using WordVector = hn::Vec<WordTag>;

// The state of counters between rounds. Each lane has 64 bits, with a word in
// the lower half; the upper half is arbitrary, since products use only lower
// halves.
struct PhiloxLanes {
  WordVector v0;
  WordVector v1;
  WordVector v2;
  WordVector v3;

  HWY_INLINE void round(uint32_t key_low, uint32_t key_high) {
    const WordTag d;
    const auto a = hn::MulEven(v0, hn::Set(d, kPhiloxFactor0));
    const auto b = hn::MulEven(v2, hn::Set(d, kPhiloxFactor1));
    const auto upper = [d](auto product) HWY_ATTR {
      return hn::BitCast(d, hn::ShiftRight<32>(product));
    };
    v0 = hn::Xor3(upper(b), v1, hn::Set(d, key_low));
    v1 = hn::BitCast(d, b);
    v2 = hn::Xor3(upper(a), v3, hn::Set(d, key_high));
    v3 = hn::BitCast(d, a);
  }
};

// philox() for a register of counters at a time, even and odd lanes separately.
// The counters of a group differ only in their lowest bits.
HWY_INLINE void philox_group(uint64_t first, uint64_t key, WordGroup& group) {
  const WordTag d;
  const hn::RepartitionToWide<WordTag> wide;
  constexpr int kStep = HWY_LANES(uint32_t);
  static_assert(kCounterGroup % kStep == 0);
  for (int lane = 0; lane < kCounterGroup; lane += kStep) {
    const auto counters = hn::Iota(d, static_cast<uint32_t>(first) + lane);
    const auto upper = hn::Set(d, static_cast<uint32_t>(first >> 32));
    const auto zero = hn::Zero(d);
    PhiloxLanes even{counters, upper, zero, zero};
    PhiloxLanes odd{
        hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, counters))), upper,
        zero, zero};
    auto key_low = static_cast<uint32_t>(key);
    auto key_high = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < kPhiloxRounds; ++round) {
      even.round(key_low, key_high);
      odd.round(key_low, key_high);
      key_low += kPhiloxKeyStep0;
      key_high += kPhiloxKeyStep1;
    }
    const auto store = [&](WordVector e, WordVector o,
                           uint32_t* words) HWY_ATTR {
      const auto shifted = hn::ShiftLeft<32>(hn::BitCast(wide, o));
      hn::Store(hn::OddEven(hn::BitCast(d, shifted), e), d, words + lane);
    };
    store(even.v0, odd.v0, group.words[0]);
    store(even.v1, odd.v1, group.words[1]);
    store(even.v2, odd.v2, group.words[2]);
    store(even.v3, odd.v3, group.words[3]);
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
    // For fewer groups per thread, waking it costs more than it saves.
    constexpr int64_t kGrain = 256;
    const int64_t groups = (args.size + kGroupValues - 1) / kGroupValues;
    const bool non_temporal = can_stream(args);
    catena::cpu::parallel_for(groups, kGrain, [&](int64_t begin, int64_t end) {
      const Op op = *static_cast<const Op*>(args.op);
      for (int64_t g = begin; g < end; ++g) {
        alignas(64) T values[kGroupValues];
        WordGroup group;
        philox_group(
            args.stream.first + static_cast<uint64_t>(g) * kCounterGroup,
            args.stream.key, group);
        fill(op, group, values, Calls());
        const int64_t at = g * kGroupValues;
        const int64_t n = std::min<int64_t>(kGroupValues, args.size - at);
        store(values, n, non_temporal, reinterpret_cast<T*>(args.out) + at);
      }
      if (non_temporal) hwy::FlushStream();
    });
  }

 private:
  static constexpr int kWords = Op::template kWords<T>;
  static constexpr int kValues = Op::template kValues<T>;
  static constexpr int kGroupValues = kValuesPerCounter<Op, T> * kCounterGroup;
  using Calls = std::make_index_sequence<4 / kWords>;

  // Non-temporal stores write whole cache lines.
  static constexpr int64_t kLine = 64;
  static constexpr int64_t kGroupBytes = kGroupValues * sizeof(T);

  static bool can_stream(const RandomArgs& args) {
    return args.size * static_cast<int64_t>(sizeof(T)) >= cpu::kStreamBytes &&
           reinterpret_cast<uintptr_t>(args.out) % kLine == 0;
  }

  // Stores the first n values of a group.
  static HWY_INLINE void store(const T* values, int64_t n,
                               [[maybe_unused]] bool non_temporal, T* out) {
    if constexpr (kGroupBytes % kLine == 0) {
      if (non_temporal && n == kGroupValues) {
        const hn::ScalableTag<uint8_t> bytes;
        const auto* from = reinterpret_cast<const uint8_t*>(values);
        auto* to = reinterpret_cast<uint8_t*>(out);
        for (int64_t b = 0; b < kGroupBytes; b += HWY_LANES(uint8_t)) {
          hn::Stream(hn::Load(bytes, from + b), bytes, to + b);
        }
        return;
      }
    }
    std::memcpy(out, values, static_cast<size_t>(n) * sizeof(T));
  }

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

}  // namespace catena::kernels::CATENA_BACKEND
