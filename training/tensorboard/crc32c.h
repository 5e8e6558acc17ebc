#pragma once

#include <cstdint>
#include <string_view>

namespace catena::training::tensorboard {

// CRC-32C (Castagnoli) of some bytes, as in RFC 3720, appendix B.4.
uint32_t crc32c(std::string_view bytes);

// The checksum as TFRecord files hold it: rotated and offset, so that that of a
// text which contains checksums is none of them.
inline uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace catena::training::tensorboard
