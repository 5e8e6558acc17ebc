#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace catena::dataset {

// The SHA-256 of bytes that come in pieces (FIPS 180-4).
class Sha256 {
 public:
  void update(std::span<const char> bytes);
  // In lower-case hexadecimal; call once, at the end.
  std::string hex_digest();

 private:
  void process(const unsigned char* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                    0xa54ff53a, 0x510e527f, 0x9b05688c,
                                    0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  size_t filled_ = 0;
  uint64_t bytes_ = 0;
};

std::string sha256(std::span<const char> bytes);

}  // namespace catena::dataset
