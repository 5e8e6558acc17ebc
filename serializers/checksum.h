#pragma once

#include <cstdint>
#include <span>

namespace catena::serializers {

// The CRC-32 of ZIP and PNG; `before` is that of the bytes which come first.
uint32_t crc32_of(std::span<const char> bytes, uint32_t before = 0);

}  // namespace catena::serializers
