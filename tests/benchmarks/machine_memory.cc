#include "catena/tests/benchmarks/machine_memory.h"

#include <benchmark/benchmark.h>

#include <cstring>

#include "catena/array/core/parallel.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace catena::benchmarks {
namespace {

constexpr int64_t kLine = 64;
constexpr int64_t kGrain = 1 << 20;

}  // namespace

void copy_memory(void* to, const void* from, int64_t bytes) {
  cpu::parallel_for(
      bytes, kGrain,
      [&](int64_t begin, int64_t end) {
        auto* out = static_cast<char*>(to);
        const auto* in = static_cast<const char*>(from);
#ifdef __SSE2__
        for (int64_t i = begin; i < end; i += kLine) {
          __m128i line[4];
          for (int k = 0; k < 4; ++k) {
            line[k] = _mm_load_si128(
                reinterpret_cast<const __m128i*>(in + i + 16 * k));
          }
          for (int k = 0; k < 4; ++k) {
            _mm_stream_si128(reinterpret_cast<__m128i*>(out + i + 16 * k),
                             line[k]);
          }
        }
        _mm_sfence();
#else
        std::memcpy(out + begin, in + begin, end - begin);
#endif
      },
      kLine);
}

void triad_memory(float* out, const float* x, const float* y, int64_t n) {
  cpu::parallel_for(
      n, kGrain / 4,
      [&](int64_t begin, int64_t end) {
#ifdef __SSE2__
        const __m128 factor = _mm_set1_ps(3);
        for (int64_t i = begin; i < end; i += 16) {
          __m128 line[4];
          for (int k = 0; k < 4; ++k) {
            line[k] = _mm_add_ps(_mm_mul_ps(_mm_load_ps(x + i + 4 * k), factor),
                                 _mm_load_ps(y + i + 4 * k));
          }
          for (int k = 0; k < 4; ++k) _mm_stream_ps(out + i + 4 * k, line[k]);
        }
        _mm_sfence();
#else
        for (int64_t i = begin; i < end; ++i) out[i] = x[i] * 3 + y[i];
#endif
      },
      kLine / 4);
}

void read_memory(const void* from, int64_t bytes) {
  cpu::parallel_for(
      bytes, kGrain,
      [&](int64_t begin, int64_t end) {
        const auto* in = static_cast<const char*>(from);
#ifdef __SSE2__
        __m128i all[4] = {};
        for (int64_t i = begin; i + kLine <= end; i += kLine) {
          for (int k = 0; k < 4; ++k) {
            const auto* at = reinterpret_cast<const __m128i*>(in + i + 16 * k);
            all[k] = _mm_or_si128(all[k], _mm_load_si128(at));
          }
        }
#else
        uint64_t all[8] = {};
        for (int64_t i = begin; i + kLine <= end; i += kLine) {
          uint64_t line[8];
          std::memcpy(line, in + i, kLine);
          for (int k = 0; k < 8; ++k) all[k] |= line[k];
        }
#endif
        benchmark::DoNotOptimize(all);
      },
      kLine);
}

}  // namespace catena::benchmarks
