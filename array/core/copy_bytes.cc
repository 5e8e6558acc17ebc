#include <cstring>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/core/stream_bytes.h"
#include "catena/array/core/strided_copy.h"

namespace catena::cpu {
namespace {

constexpr int64_t kGrain = 128 << 10;

}  // namespace

void copy_bytes(void* to, const void* from, int64_t bytes) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  if (bytes < 2 * kGrain) {
    if (bytes > 0) std::memcpy(out, in, bytes);
    return;
  }
  const bool non_temporal =
      bytes >= kStreamBytes && reinterpret_cast<uintptr_t>(out) % 64 == 0;
  parallel_for(
      bytes, kGrain,
      [&](int64_t begin, int64_t end) {
        if (non_temporal) {
          cpu::stream_bytes(out + begin, in + begin, end - begin);
          cpu::stream_fence();
        } else {
          std::memcpy(out + begin, in + begin, end - begin);
        }
      },
      /*align=*/64);
}

}  // namespace catena::cpu
