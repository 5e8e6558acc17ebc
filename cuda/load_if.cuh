#pragma once

// Loads with a condition, which is the instruction's own: a branch would part
// them, and what is read behind it waits for the use of what is read before.

#include <cstdint>

#include "catena/cuda/element.cuh"

namespace catena::cuda {

// The packs of each of `arrays` arrays that a thread reads before it uses the
// first: four or more loads in flight.
template <int arrays>
inline constexpr int kPacksInFlight = (arrays + 3) / arrays;

// Reads the pack that begins `offset` elements behind `data`, in global memory,
// if `wanted`; else leaves it as it is, and there need be no such elements.
template <int kSize, class S>
__device__ __forceinline__ void load_pack_if(bool wanted, const S* data,
                                             int offset, Pack<S, kSize>& pack) {
#ifdef CATENA_EMULATED_CUDA
  if (wanted) pack = load_pack<kSize>(data + offset);
#else
  const size_t from =
      __cvta_generic_to_global(data) + int64_t{offset} * sizeof(S);
  constexpr int kBytes = sizeof(pack);
  // Volatile, and with memory: stores keep their place, since a result may
  // replace an operand.
  auto word = __builtin_bit_cast(Access<kBytes>, pack);
  if constexpr (kBytes == 16) {
    asm volatile(
        "{\n\t"
        ".reg .pred %%wanted;\n\t"
        "setp.ne.b32 %%wanted, %4, 0;\n\t"
        "@%%wanted ld.global.v4.u32 {%0, %1, %2, %3}, [%5];\n\t"
        "}"
        : "+r"(word.x), "+r"(word.y), "+r"(word.z), "+r"(word.w)
        : "r"(static_cast<int>(wanted)), "l"(from)
        : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile(
        "{\n\t"
        ".reg .pred %%wanted;\n\t"
        "setp.ne.b32 %%wanted, %2, 0;\n\t"
        "@%%wanted ld.global.v2.u32 {%0, %1}, [%3];\n\t"
        "}"
        : "+r"(word.x), "+r"(word.y)
        : "r"(static_cast<int>(wanted)), "l"(from)
        : "memory");
  } else if constexpr (kBytes == 4) {
    asm volatile(
        "{\n\t"
        ".reg .pred %%wanted;\n\t"
        "setp.ne.b32 %%wanted, %1, 0;\n\t"
        "@%%wanted ld.global.u32 %0, [%2];\n\t"
        "}"
        : "+r"(word)
        : "r"(static_cast<int>(wanted)), "l"(from)
        : "memory");
  } else if constexpr (kBytes == 2) {
    asm volatile(
        "{\n\t"
        ".reg .pred %%wanted;\n\t"
        "setp.ne.b32 %%wanted, %1, 0;\n\t"
        "@%%wanted ld.global.u16 %0, [%2];\n\t"
        "}"
        : "+h"(word)
        : "r"(static_cast<int>(wanted)), "l"(from)
        : "memory");
  } else {
    if (wanted) word = *reinterpret_cast<const uint8_t*>(data + offset);
  }
  pack = __builtin_bit_cast(Pack<S, kSize>, word);
#endif
}

}  // namespace catena::cuda
