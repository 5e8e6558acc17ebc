#pragma once

// A part of a row in registers.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "catena/cuda/element.cuh"
#include "catena/cuda/load_if.cuh"
#include "catena/functions/engines/rows/row_threads.cuh"

namespace catena::kernels::CATENA_BACKEND {

// Where a row is: the operands' first elements, inputs before the output.
template <class S, int inputs>
struct RowMemory {
  S* first[inputs + 1];
  int64_t length;
  // From an element to the next, but for inputs that all rows share.
  int64_t step;
};

// Up to `kChunks` chunks of a row for each thread, loaded all at once. A chunk
// is a pack if rows are packed: whole packs, aligned in each operand. Else it
// has as many elements, as far apart as there are threads, whose loads are then
// of one piece. Shared inputs, which stay in the caches, are read when needed.
template <class S, int inputs, int shared, bool kIsPacked, int kChunks>
class RowTile {
 public:
  using Element = catena::cuda::Compute<S>;
  using Memory = RowMemory<S, inputs>;
  static constexpr int kPack = catena::cuda::kWidestPack<S>;
  static constexpr int kSlots = kChunks * kPack;

  // The elements from `begin` on, which must be in the row.
  __device__ __forceinline__ RowTile(const Memory& memory,
                                     const RowThreads& threads, int64_t begin)
      : memory_(memory),
        log_count_(threads.log_count()),
        own_(threads.own()),
        begin_(begin) {
    constexpr int kLogPack = std::countr_zero(static_cast<unsigned>(kPack));
    constexpr int kLogItem = kIsPacked ? kLogPack : 0;
    const auto size = static_cast<int>(
        min(memory.length - begin, int64_t{kSlots} << log_count_));
    const int count = fresh_count();
    chunks_ = (size + kPack * count - 1) >> (log_count_ + kLogPack);
    slots_ = (((size >> kLogItem) - own_ + count - 1) >> log_count_)
             << kLogItem;
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      // Packs of all chunks are in flight together, and so are few elements, of
      // many those of a chunk: the addresses of all would take more registers
      // than there are.
      constexpr bool kIsFew = kIsPacked || kSlots <= 4;
      if (!kIsFew && chunk >= chunks_) continue;
#pragma unroll
      for (int k = 0; k < inputs - shared; ++k) {
        if constexpr (kIsPacked) {
          stored_[k][chunk] = {};
          catena::cuda::load_pack_if(chunk < chunks_, pack_at(k, chunk, count),
                                     /*offset=*/0, stored_[k][chunk]);
        } else {
          stored_[k][chunk] = load(k, chunk, count, memory_.step);
        }
      }
    }
  }

  // Calls f for each slot with its number, whether it has an element, and the
  // element of each input: any element of the row if the slot has none.
  template <class F>
  __device__ __forceinline__ void visit(F f) const {
    each_chunk([&](int chunk, int, const auto& x) {
#pragma unroll
      for (int j = 0; j < kPack; ++j) {
        call(chunk * kPack + j, f, x, j, Inputs());
      }
    });
  }

  // The same, and writes what f returns to the output.
  template <class F>
  __device__ __forceinline__ void store(F f) const {
    each_chunk([&](int chunk, int count, const auto& x) {
      Element y[kPack];
#pragma unroll
      for (int j = 0; j < kPack; ++j) {
        y[j] = call(chunk * kPack + j, f, x, j, Inputs());
      }
      store_chunk(chunk, count, y);
    });
  }

  // A slot's element of the first input.
  __device__ __forceinline__ S& element(int slot) {
    return stored_[0][slot / kPack].elements[slot % kPack];
  }

  // The slot that has an element of the row; -1 if none of the thread's has.
  __device__ __forceinline__ int slot_of(int64_t element) const {
    const int64_t place = element - begin_;
    if (place < 0 || place >= int64_t{kSlots} << log_count_) return -1;
    constexpr int kItem = kIsPacked ? kPack : 1;
    const int item = static_cast<int>(place) / kItem;
    if ((item & ((1 << log_count_) - 1)) != own_) return -1;
    return (item >> log_count_) * kItem + static_cast<int>(place) % kItem;
  }
  // A number for each slot that has an element: its place if rows are not
  // packed, else any below the length rounded up to whole chunks. Neighbouring
  // threads have neighbouring numbers.
  __device__ __forceinline__ int64_t number(int slot) const {
    return begin_ + slot * fresh_count() + own_;
  }

 private:
  using Stored = catena::cuda::Pack<S, kPack>;
  using Inputs = std::make_index_sequence<inputs>;

  // The number of threads, which the compiler takes for another each time: it
  // would keep addresses for the next pass and the next row, in more registers
  // than the elements.
  __device__ __forceinline__ int fresh_count() const {
    int count = 1 << log_count_;
#ifndef CATENA_EMULATED_CUDA
    asm volatile("" : "+r"(count));
#endif
    return count;
  }

  // Where a pack is. One that is not in the row is the thread's first, or the
  // row's: loads need no branch.
  __device__ __forceinline__ const S* pack_at(int k, int chunk,
                                              int count) const {
    const S* const own =
        memory_.first[k] + (slots_ > 0 ? begin_ + own_ * kPack : 0);
    return own + (chunk * kPack < slots_ ? chunk * kPack * count : 0);
  }

  // The elements of a chunk, likewise.
  __device__ __forceinline__ Stored load(int k, int chunk, int count,
                                         int64_t step) const {
    if constexpr (kIsPacked) {
      return catena::cuda::load_pack<kPack>(pack_at(k, chunk, count));
    } else {
      const S* const own =
          memory_.first[k] + (slots_ > 0 ? (begin_ + own_) * step : 0);
      Stored elements;
#pragma unroll
      for (int j = 0; j < kPack; ++j) {
        const int slot = chunk * kPack + j;
        elements.elements[j] = own[slot < slots_ ? slot * count * step : 0];
      }
      return elements;
    }
  }

  // Calls f with each chunk's number, the number of threads, and the elements.
  template <class F>
  __device__ __forceinline__ void each_chunk(F f) const {
    const int count = fresh_count();
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      if (chunk >= chunks_) continue;
      Element x[inputs][kPack];
#pragma unroll
      for (int k = 0; k < inputs; ++k) {
        catena::cuda::widen(k < inputs - shared
                                ? stored_[k < inputs - shared ? k : 0][chunk]
                                : load(k, chunk, count, /*step=*/1),
                            x[k]);
      }
      f(chunk, count, x);
    }
  }

  template <class F, size_t... k>
  __device__ __forceinline__ auto call(int slot, F f,
                                       const Element (&x)[inputs][kPack], int j,
                                       std::index_sequence<k...>) const {
    return f(slot, slot < slots_, x[k][j]...);
  }

  __device__ __forceinline__ void store_chunk(int chunk, int count,
                                              const Element (&y)[kPack]) const {
    S* const output = memory_.first[inputs];
    if constexpr (kIsPacked) {
      if (chunk * kPack >= slots_) return;
      catena::cuda::store_pack(
          output + begin_ + own_ * kPack + chunk * kPack * count,
          catena::cuda::narrow<S, kPack>(y));
    } else {
      S* const own = output + (begin_ + own_) * memory_.step;
#pragma unroll
      for (int j = 0; j < kPack; ++j) {
        const int slot = chunk * kPack + j;
        if (slot >= slots_) continue;
        own[slot * count * memory_.step] = catena::cuda::narrow<S>(y[j]);
      }
    }
  }

  const Memory memory_;
  int log_count_;
  int own_;
  int64_t begin_;
  int chunks_;  // that have an element of any of the row's threads
  int slots_;   // that have an element: the first ones
  Stored stored_[inputs - shared][kChunks];
};

// The number of a row's element, see RowTile.
template <class S, bool kIsPacked>
__device__ __forceinline__ int tile_number(int element,
                                           const RowThreads& threads) {
  constexpr int kPack = catena::cuda::kWidestPack<S>;
  if constexpr (!kIsPacked) return element;
  const int item = element / kPack;
  const int own = item & (threads.count() - 1);
  const int slot = (item >> threads.log_count()) * kPack + element % kPack;
  return (slot << threads.log_count()) + own;
}

}  // namespace catena::kernels::CATENA_BACKEND
