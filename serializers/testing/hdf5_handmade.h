#pragma once

#include <cstdint>
#include <string>

// Puts HDF5 files together byte by byte: what libhdf5 does not write, or no
// longer. They are of version 0, with addresses and lengths of 8 bytes.
namespace catena::serializers::handmade {

// The root group's header, behind the superblock.
inline constexpr uint64_t kRoot = 96;
// The address of what is not in the file.
inline constexpr uint64_t kNone = UINT64_MAX;

// Little endian.
inline std::string number(uint64_t value, size_t bytes) {
  std::string result;
  for (size_t i = 0; i < bytes; ++i, value >>= 8) {
    result += static_cast<char>(value);
  }
  return result;
}

// A message of an object header of version 1, whose size is a multiple of 8.
inline std::string message(int type, std::string body, int flags = 0) {
  body.resize((body.size() + 7) / 8 * 8);
  return number(static_cast<uint64_t>(type), 2) + number(body.size(), 2) +
         number(static_cast<uint64_t>(flags), 1) + number(0, 3) + body;
}

inline std::string header(const std::string& messages) {
  return number(1, 2) + number(1, 2) + number(1, 4) +
         number(messages.size(), 4) + number(0, 4) + messages;
}

// A file whose root group's header, at kRoot, is followed by other structures.
inline std::string file(const std::string& rest) {
  return "\x89HDF\r\n\x1a\n" + number(0, 5) + number(8, 1) + number(8, 2) +
         number(1, 2) + number(1, 2) + number(0, 4) + number(0, 8) +
         number(kNone, 8) + number(kRoot + rest.size(), 8) + number(kNone, 8) +
         number(0, 8) + number(kRoot, 8) + number(0, 24) + rest;
}

// A link of the root group in its header, and that it has no others elsewhere.
inline std::string link_to(const std::string& name, uint64_t address) {
  constexpr int kLinkInfo = 2, kLink = 6;
  return message(kLinkInfo,
                 number(0, 2) + number(kNone, 8) + number(kNone, 8)) +
         message(kLink, number(1, 2) + number(name.size(), 1) + name +
                            number(address, 8));
}

}  // namespace catena::serializers::handmade
