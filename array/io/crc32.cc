#include "catena/array/io/crc32.h"

#include <zlib.h>

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace catena::array {
namespace {

uint32_t with_tables(std::span<const char> bytes, uint32_t before) {
  return static_cast<uint32_t>(crc32_z(
      before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

#if defined(__x86_64__)

// Multiplication without carries folds bytes onto later ones: with bits as
// polynomials, what is `distance` bits ahead counts as its product by
// x^distance mod P (Gopal et al., Fast CRC Computation for Generic Polynomials
// Using PCLMULQDQ Instruction, 2009). The tables end it.
constexpr size_t kLane = sizeof(__m128i);
constexpr size_t kLanes = 4;

// x^n mod P, in the order of bits that this CRC has, where products of 64 bits
// come out one bit short.
constexpr uint64_t power_of_x(int n) {
  uint32_t power = 1;
  for (int i = 0; i < n; ++i) {
    power = (power << 1) ^ ((power >> 31) != 0 ? 0x04c11db7u : 0u);
  }
  uint64_t reflected = 0;
  for (int i = 0; i < 32; ++i) {
    reflected |= static_cast<uint64_t>(power >> i & 1) << (31 - i);
  }
  return reflected << 1;
}

__attribute__((target("pclmul"))) inline __m128i load(const char* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// `x`, at that distance before `next`, folded onto it.
template <int distance>
__attribute__((target("pclmul"))) inline __m128i fold(__m128i x, __m128i next) {
  constexpr auto kFirst = static_cast<long long>(power_of_x(distance + 32));
  constexpr auto kSecond = static_cast<long long>(power_of_x(distance - 32));
  const __m128i powers = _mm_set_epi64x(kSecond, kFirst);
  return _mm_xor_si128(next,
                       _mm_xor_si128(_mm_clmulepi64_si128(x, powers, 0x00),
                                     _mm_clmulepi64_si128(x, powers, 0x11)));
}

__attribute__((target("pclmul"))) uint32_t by_folding(
    std::span<const char> bytes, uint32_t before) {
  constexpr size_t kBlock = kLanes * kLane;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  __m128i lanes[kLanes];
  for (size_t i = 0; i < kLanes; ++i) lanes[i] = load(at + i * kLane);
  lanes[0] =
      _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(~before)));
  for (at += kBlock; at + kBlock <= end; at += kBlock) {
    for (size_t i = 0; i < kLanes; ++i) {
      lanes[i] = fold<8 * kBlock>(lanes[i], load(at + i * kLane));
    }
  }
  __m128i rest = lanes[0];
  for (size_t i = 1; i < kLanes; ++i) rest = fold<8 * kLane>(rest, lanes[i]);
  char folded[kLane];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(folded), rest);
  // The CRC of these bytes by themselves, without the ones that a CRC starts
  // with.
  const uint32_t crc = with_tables(folded, ~uint32_t{0});
  return with_tables({at, end}, crc);
}

bool can_fold() {
  static const bool can = __builtin_cpu_supports("pclmul") != 0;
  return can;
}

#endif

}  // namespace

uint32_t crc32_of(std::span<const char> bytes, uint32_t before) {
#if defined(__x86_64__)
  constexpr size_t kWorthwhile = 256;
  if (bytes.size() >= kWorthwhile && can_fold()) {
    return by_folding(bytes, before);
  }
#endif
  return with_tables(bytes, before);
}

}  // namespace catena::array
