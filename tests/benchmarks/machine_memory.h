#pragma once

#include <cstdint>

// Measures memory bandwidth: on all threads, with wide loads, and with
// non-temporal stores if the processor supports them.
namespace catena::benchmarks {

// Both pointers are aligned to 64 bytes; `bytes` is a multiple of 64.
void copy_memory(void* to, const void* from, int64_t bytes);

// out = x * 3 + y, of n floats (a multiple of 16) aligned to 64 bytes.
void triad_memory(float* out, const float* x, const float* y, int64_t n);

// Reads all bytes; `from` is aligned to 64 bytes.
void read_memory(const void* from, int64_t bytes);

}  // namespace catena::benchmarks
