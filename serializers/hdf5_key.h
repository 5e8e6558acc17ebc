#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The names in HDF5 files that catena writes and reads.
namespace catena::serializers::hdf5 {

// The parts of a key between slashes; nullopt if one of them is not a name.
std::optional<std::vector<std::string>> parts_of(std::string_view key);

// Attribute with the CRC-32 of a text, since HDF5 has checksums for numbers
// only. Files from other programs lack it.
inline constexpr char kTextChecksum[] = "crc32";

}  // namespace catena::serializers::hdf5
