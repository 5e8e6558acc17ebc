#pragma once

#include <cstdint>
#include <span>

namespace catena::array {

// The CRC-32 of ZIP, gzip and PNG (ISO-HDLC, polynomial 0x04c11db7); `before`
// is the CRC of the preceding bytes.
uint32_t crc32_of(std::span<const char> bytes, uint32_t before = 0);

}  // namespace catena::array
