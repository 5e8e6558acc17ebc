#include "catena/array/io/crc32.h"

#include <zlib.h>

namespace catena::array {

uint32_t crc32_of(std::span<const char> bytes, uint32_t before) {
  return static_cast<uint32_t>(crc32_z(
      before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace catena::array
