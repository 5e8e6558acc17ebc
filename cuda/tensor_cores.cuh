#pragma once

// What the threads of a warp do together: products of small matrices by tensor
// cores, the reading of their operands, and copies to shared memory that run
// while the warp goes on. PTX ISA, "Warp-level matrix instructions" and "Data
// movement and conversion instructions".
//
// An emulated device, and a GPU without the instructions, exchange what the
// lanes have: all lanes of the warp must call each function.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "catena/array/core/float16.h"
#include "catena/cuda/element.cuh"

namespace catena::cuda {

inline constexpr int kLanes = 32;

__device__ __forceinline__ int lane_of_warp() {
  return static_cast<int>(threadIdx.x) % kLanes;
}

// The number, which the compiler takes for another each time: it would keep
// addresses made of it in registers that the work in between needs.
__device__ __forceinline__ int fresh(int number) {
#ifndef CATENA_EMULATED_CUDA
  asm volatile("" : "+r"(number));
#endif
  return number;
}

// A value of each lane, which all of them read: of(lane) is called by all lanes
// together.
template <class T>
class LaneValues {
 public:
#ifdef CATENA_EMULATED_CUDA
  explicit LaneValues(T own) {
    char(*const slots)[16] = emulation::next_exchange();
    std::memcpy(slots[lane_of_warp()], &own, sizeof(T));
    emulation::wait_for_warp(0xffffffffu);
    for (int i = 0; i < kLanes; ++i) {
      std::memcpy(&all_[i], slots[i], sizeof(T));
    }
  }
  T of(int lane) const { return all_[lane]; }

 private:
  T all_[kLanes];
#else
  explicit __device__ LaneValues(T own) : own_(own) {}
  __device__ __forceinline__ T of(int lane) const {
    return __shfl_sync(0xffffffffu, own_, lane);
  }

 private:
  T own_;
#endif
};

// Two neighbouring 16-bit elements, the first in the lower half.
template <class S>
__device__ __forceinline__ float element_of_pair(uint32_t pair, int which) {
  S element;
  element.bits = static_cast<uint16_t>(pair >> (16 * which));
  return widen(element);
}

// Reads four matrices of 8 by 8 elements of 16 bits from shared memory: lane
// 8 i + r gives the address of row r of matrix i, aligned to 16 bytes. Each
// lane gets a pair of each matrix: of row lane / 4, from column 2 (lane % 4)
// on; if kTransposed, that of the transposed matrix.
template <bool kTransposed>
__device__ __forceinline__ void load_matrices(const void* row,
                                              uint32_t (&pairs)[4]) {
#ifdef CATENA_EMULATED_CUDA
  const int lane = lane_of_warp();
  const LaneValues<const void*> rows(row);
  for (int i = 0; i < 4; ++i) {
    const auto element = [&](int of_row, int column) -> uint32_t {
      return static_cast<const uint16_t*>(rows.of(8 * i + of_row))[column];
    };
    const int outer = lane / 4;
    const int inner = 2 * (lane % 4);
    uint32_t low;
    uint32_t high;
    if constexpr (kTransposed) {
      low = element(inner, outer);
      high = element(inner + 1, outer);
    } else {
      low = element(outer, inner);
      high = element(outer, inner + 1);
    }
    pairs[i] = low | high << 16;
  }
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  if constexpr (kTransposed) {
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, "
        "[%4];"
        : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
        : "r"(address)
        : "memory");
  } else {
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
        : "r"(address)
        : "memory");
  }
#endif
}

// c += a b for a (16, 16) and b (16, 8), of float16 or bfloat16, and c (16, 8).
// With g = lane / 4 and t = 2 (lane % 4), a lane has
//   of a: the pairs (g, t), (g + 8, t), (g, t + 8) and (g + 8, t + 8),
//   of b: rows t, t + 1 and then t + 8, t + 9 of column g,
//   of c: (g, t), (g, t + 1), (g + 8, t) and (g + 8, t + 1).
template <class S>
__device__ __forceinline__ void multiply_add(const uint32_t (&a)[4],
                                             uint32_t b_low, uint32_t b_high,
                                             float (&c)[4]) {
#if defined(CATENA_EMULATED_CUDA) || __CUDA_ARCH__ < 800
  const int lane = lane_of_warp();
  const auto joined = [](uint32_t low, uint32_t high) {
    return uint64_t{low} | uint64_t{high} << 32;
  };
  const LaneValues<uint64_t> upper(joined(a[0], a[2]));  // row g
  const LaneValues<uint64_t> lower(joined(a[1], a[3]));  // row g + 8
  const LaneValues<uint64_t> column(joined(b_low, b_high));
  for (int i = 0; i < 4; ++i) {
    const int in_row = (lane & ~3) + i;
    const int in_column = 8 * (lane % 4) + i;
    const uint64_t rows[2] = {upper.of(in_row), lower.of(in_row)};
    const uint64_t of_b[2] = {column.of(in_column), column.of(in_column + 4)};
    for (int half = 0; half < 2; ++half) {
      for (int which = 0; which < 2; ++which) {
        for (int k = 0; k < 4; ++k) {
          const auto x = static_cast<uint32_t>(rows[k / 2] >> (32 * half));
          const auto y = static_cast<uint32_t>(of_b[k % 2] >> (32 * half));
          c[k] += element_of_pair<S>(x, which) * element_of_pair<S>(y, which);
        }
      }
    }
  }
#else
  if constexpr (std::is_same_v<S, float16>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  }
#endif
}

// Copies 16 bytes from global to shared memory, or zeros unless `wanted`, when
// nothing need be at `from`. They are there after wait_for_copies(), and for
// other threads after a barrier behind it.
__device__ __forceinline__ void copy_later(void* to, const void* from,
                                           bool wanted) {
#if defined(CATENA_EMULATED_CUDA) || __CUDA_ARCH__ < 800
  using Chunk = Pack<uint32_t, 4>;
  Chunk chunk = {};
  if (wanted) chunk = *static_cast<const Chunk*>(from);
  *static_cast<Chunk*>(to) = chunk;
#else
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from)), "r"(wanted ? 16 : 0)
               : "memory");
#endif
}

// Waits for all of the thread's copies.
__device__ __forceinline__ void wait_for_copies() {
#if !defined(CATENA_EMULATED_CUDA) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

}  // namespace catena::cuda
