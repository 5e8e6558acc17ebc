#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace catena::array {

// The parts of the ZIP format (PKWARE's APPNOTE 6.3) that .npz files use.
// All numbers are little endian.
inline constexpr uint32_t kZipLocalHeader = 0x04034b50;
inline constexpr uint32_t kZipDirectoryEntry = 0x02014b50;
inline constexpr uint32_t kZipEnd = 0x06054b50;
inline constexpr uint32_t kZip64End = 0x06064b50;
inline constexpr uint32_t kZip64Locator = 0x07064b50;

// The size of each record without its variable parts.
inline constexpr int64_t kZipLocalHeaderBytes = 30;
inline constexpr int64_t kZipDirectoryEntryBytes = 46;
inline constexpr int64_t kZipEndBytes = 22;
inline constexpr int64_t kZip64EndBytes = 56;
inline constexpr int64_t kZip64LocatorBytes = 20;

// The extra field with 64-bit sizes, and the values of 32-bit and 16-bit fields
// that refer to it.
inline constexpr uint16_t kZip64Extra = 0x0001;
inline constexpr uint32_t kZipIn64 = 0xffffffff;
inline constexpr uint16_t kZipIn64Short = 0xffff;

// The newest version that a member may need, 6.3.
inline constexpr uint16_t kZipVersion = 63;

enum class ZipMethod : uint16_t { kStored = 0, kDeflated = 8 };

// Bits of an entry's flags.
inline constexpr uint16_t kZipHasDescriptor = 1 << 3;
inline constexpr uint16_t kZipUtf8Name = 1 << 11;
// Encrypted, patch, strongly encrypted, or masked.
inline constexpr uint16_t kZipUnreadable = 1 << 0 | 1 << 5 | 1 << 6 | 1 << 13;

// Builds a record field by field.
class ZipRecord {
 public:
  ZipRecord& u16(uint64_t value) { return number(value, 2); }
  ZipRecord& u32(uint64_t value) { return number(value, 4); }
  ZipRecord& u64(uint64_t value) { return number(value, 8); }
  ZipRecord& bytes(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  const std::string& str() const { return bytes_; }

 private:
  ZipRecord& number(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    }
    return *this;
  }

  std::string bytes_;
};

// Why a member's name is rejected ("an absolute path", ...), or empty. We never
// extract members to files, but other programs do.
std::string_view zip_name_fault(std::string_view name);

}  // namespace catena::array
