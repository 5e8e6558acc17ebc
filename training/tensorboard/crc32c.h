#pragma once

#include <cstdint>
#include <string_view>

namespace catena::training::tensorboard {

// CRC-32C (Castagnoli) of some bytes, as in RFC 3720, appendix B.4.
uint32_t crc32c(std::string_view bytes);

// The masked checksum of TFRecord files: rotated and offset, which avoids
// problems with checksums of data that contains checksums.
inline uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace catena::training::tensorboard
