#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/serializers/hdf5_messages.h"

namespace catena::serializers::hdf5 {

// A checksum, at the end of what it is of.
inline constexpr uint64_t kSumBytes = 4;

// Throws IoError starting with `where` for filters other than gzip, shuffle and
// fletcher32, and for two gzip filters.
void check_filters(const std::vector<Filter>& filters,
                   const std::string& where);

// Undoes the filters of chunks, one after the other, with the same buffers.
class Decoder {
 public:
  // For chunks of `chunk_bytes` that take at most `stored_bytes` in the file,
  // and filters that check_filters accepts. Errors begin with `where`.
  Decoder(const std::vector<Filter>& filters, uint64_t chunk_bytes,
          uint64_t stored_bytes, std::string where);
  ~Decoder() { inflateEnd(&stream_); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // What such a decoder takes.
  static uint64_t buffer_bytes(const std::vector<Filter>& filters,
                               uint64_t chunk_bytes, uint64_t stored_bytes);

  // Where to put the bytes of a chunk, at most `stored_bytes`.
  std::span<char> stored(uint64_t bytes);
  // Decodes what was put there; `mask` has bit i for a filter i that the chunk
  // skips. The result is valid until the next call. Throws IoError when it is
  // damaged, has not exactly the bytes of a chunk, or skips a filter that is
  // not optional.
  std::span<char> decode(uint32_t mask);

  // Whether the bytes of a chunk with this mask are its elements and a checksum
  // of them, which needs no buffer.
  bool only_checks(uint32_t mask) const;
  // Throws IoError unless `stored_sum` is the checksum of the bytes.
  void check(std::span<const char> bytes,
             std::span<const char, kSumBytes> stored_sum) const;

 private:
  [[noreturn]] void refuse(const std::string& expected,
                           const std::string& actual) const;
  void take_sum();
  void inflate_to(uint64_t bytes);
  void unshuffle(uint64_t item);

  const std::vector<Filter>& filters_;
  uint64_t chunk_bytes_;
  std::string where_;
  z_stream stream_ = {};
  // The bytes so far, and room for those of the next step: they change places.
  std::unique_ptr<char[]> bytes_;
  std::unique_ptr<char[]> next_;
  uint64_t size_ = 0;
};

}  // namespace catena::serializers::hdf5
