#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// Numbers in files, the lowest byte first.
namespace catena::array {

// The number in at most 8 bytes.
inline uint64_t little_endian(std::span<const char> bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

// Reads the fields of a record in order. Past the end it returns zeros and
// ok() becomes false, so that one check per record suffices.
class LittleEndianFields {
 public:
  explicit LittleEndianFields(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  // What has not been read.
  std::string_view rest() const { return rest_; }
  bool empty() const { return rest_.empty(); }
  size_t size() const { return rest_.size(); }

  uint8_t u8() { return static_cast<uint8_t>(little_endian(bytes(1))); }
  uint16_t u16() { return static_cast<uint16_t>(little_endian(bytes(2))); }
  uint32_t u32() { return static_cast<uint32_t>(little_endian(bytes(4))); }
  uint64_t u64() { return little_endian(bytes(8)); }
  std::string_view bytes(size_t count) {
    ok_ = ok_ && count <= rest_.size();
    if (!ok_) return {};
    const std::string_view front = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return front;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace catena::array
