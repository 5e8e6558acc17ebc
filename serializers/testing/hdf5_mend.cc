#include "catena/serializers/testing/hdf5_mend.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include "catena/serializers/hdf5_checksums.h"

namespace catena::serializers {
namespace {

constexpr size_t kSignature = 4, kSum = 4;
// Longer ones are found for blocks of fractal heaps and object headers alone:
// looking for them takes the square of their length.
constexpr size_t kLongest = 256;
constexpr size_t kLongestHeapBlock = 8192;

constexpr std::array<std::string_view, 14> kSignatures = {
    "\x89HDF", "OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD",
    "BTIN",    "BTLF", "FAHD", "FADB", "EAHD", "EAIB", "EADB"};

std::span<const char> as_chars(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr std::array<bool, 256> kBeginsSignature = [] {
  std::array<bool, 256> begins = {};
  for (const std::string_view signature : kSignatures) {
    begins[static_cast<uint8_t>(signature.front())] = true;
  }
  return begins;
}();

std::optional<std::string_view> signature_at(std::span<const uint8_t> bytes) {
  if (bytes.size() < kSignature + kSum || !kBeginsSignature[bytes[0]]) {
    return std::nullopt;
  }
  for (const std::string_view signature : kSignatures) {
    if (std::memcmp(bytes.data(), signature.data(), kSignature) == 0) {
      return signature;
    }
  }
  return std::nullopt;
}

uint32_t number_at(std::span<const uint8_t> bytes, size_t at) {
  uint32_t number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// The checksum of a structure, which covers what stands before it; that of a
// block of a fractal heap covers the block, with zeros in its place.
uint32_t sum_of(std::span<const uint8_t> structure, size_t sum_at) {
  if (sum_at + kSum == structure.size()) {
    return hdf5::lookup3(as_chars(structure.first(sum_at)));
  }
  std::vector<uint8_t> copy(structure.begin(), structure.end());
  std::fill_n(copy.begin() + static_cast<std::ptrdiff_t>(sum_at), kSum, 0);
  return hdf5::lookup3(as_chars(copy));
}

bool is_whole(std::span<const uint8_t> structure, size_t sum_at) {
  return sum_of(structure, sum_at) == number_at(structure, sum_at);
}

// The bytes of the first block of an object header of version 2, as it says.
std::optional<size_t> header_bytes(std::span<const uint8_t> bytes) {
  constexpr size_t kFlags = 5, kTimes = 16, kPhases = 4;
  if (bytes.size() < kFlags + 1) return std::nullopt;
  const int flags = bytes[kFlags];
  size_t at = kFlags + 1;
  if ((flags & 0x20) != 0) at += kTimes;
  if ((flags & 0x10) != 0) at += kPhases;
  const size_t width = size_t{1} << (flags & 3);
  if (at + width > bytes.size()) return std::nullopt;
  uint64_t messages = 0;
  for (size_t i = width; i-- > 0;) messages = messages << 8 | bytes[at + i];
  const size_t head = at + width;
  if (messages > bytes.size() - head) return std::nullopt;
  const size_t all = head + static_cast<size_t>(messages) + kSum;
  return all > bytes.size() ? std::nullopt : std::optional(all);
}

}  // namespace

Hdf5Structures::Hdf5Structures(std::span<const uint8_t> file) {
  for (size_t at = 0; at < file.size(); ++at) {
    const auto rest = file.subspan(at);
    const auto signature = signature_at(rest);
    if (!signature) continue;
    const auto add = [&](size_t bytes, size_t sum_at) {
      structures_[*signature].push_back({bytes, sum_at});
    };
    if (*signature == "OHDR") {
      const auto bytes = header_bytes(rest);
      add(bytes.value_or(0), bytes.value_or(kSum) - kSum);
      continue;
    }
    bool is_found = false;
    if (*signature == "FHDB") {
      // After signature, version, the heap's address and an offset in it.
      for (size_t bytes = 256;
           bytes <= std::min(kLongestHeapBlock, rest.size()); bytes *= 2) {
        for (size_t sum_at = 14; sum_at <= 21 && !is_found; ++sum_at) {
          if (!is_whole(rest.first(bytes), sum_at)) continue;
          add(bytes, sum_at);
          is_found = true;
        }
      }
    }
    const size_t longest = std::min(kLongest, rest.size());
    for (size_t end = kSignature + kSum; end <= longest && !is_found; ++end) {
      if (!is_whole(rest.first(end), end - kSum)) continue;
      add(end, end - kSum);
      is_found = true;
    }
    // Keeps its place among those of its kind.
    if (!is_found) add(0, 0);
  }
}

int Hdf5Structures::size() const {
  size_t size = 0;
  for (const auto& [signature, found] : structures_) size += found.size();
  return static_cast<int>(size);
}

void Hdf5Structures::mend(std::span<uint8_t> changed) const {
  std::map<std::string_view, size_t> met;
  for (size_t at = 0; at < changed.size(); ++at) {
    const auto rest = changed.subspan(at);
    const auto signature = signature_at(rest);
    if (!signature) continue;
    const size_t place = met[*signature]++;
    size_t bytes = 0, sum_at = 0;
    if (*signature == "OHDR") {
      bytes = header_bytes(rest).value_or(0);
      sum_at = bytes - std::min(bytes, kSum);
    } else if (const auto known = structures_.find(*signature);
               known != structures_.end() && place < known->second.size()) {
      bytes = known->second[place].bytes;
      sum_at = known->second[place].sum_at;
    }
    if (bytes == 0 || bytes > rest.size()) continue;
    const uint32_t sum = sum_of(rest.first(bytes), sum_at);
    std::memcpy(rest.data() + sum_at, &sum, sizeof sum);
  }
}

}  // namespace catena::serializers
