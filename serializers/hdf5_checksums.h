#pragma once

#include <cstdint>
#include <span>

namespace catena::serializers::hdf5 {

// Jenkins's lookup3: the checksum of the format's structures.
uint32_t lookup3(std::span<const char> bytes);

// Fletcher's checksum of big-endian words of 16 bits: that of the filter for
// data. An odd byte at the end is the upper half of a word.
uint32_t fletcher32(std::span<const char> bytes);

}  // namespace catena::serializers::hdf5
