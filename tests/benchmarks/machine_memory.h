#pragma once

#include <cstdint>

// What the machine's memory delivers: on all threads, with wide loads, and with
// non-temporal stores where the processor has them.
namespace catena::benchmarks {

// Both aligned to 64 bytes; `bytes` a multiple of 64.
void copy_memory(void* to, const void* from, int64_t bytes);

// out = x * 3 + y, of n floats (a multiple of 16) aligned to 64 bytes.
void triad_memory(float* out, const float* x, const float* y, int64_t n);

// Reads everything; aligned to 64 bytes.
void read_memory(const void* from, int64_t bytes);

}  // namespace catena::benchmarks
