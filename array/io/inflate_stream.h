#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "catena/array/io/byte_source.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/load_limits.h"

namespace catena::array {

// The maximum uncompressed size allowed for `compressed` bytes, by the limits'
// ratio and total.
int64_t max_inflated(int64_t compressed, const LoadLimits& limits);

// Decompresses a deflated part of a source. Corruption, truncation and output
// beyond the maximum throw IoError.
class InflateStream final : public ByteStream {
 public:
  // The container of the compressed data: none, or a header and a checksum.
  // gzip may have several members.
  enum class Format { kRaw, kZlib, kGzip };
  // Reads the `bytes` bytes from `offset` of the source, which must outlive the
  // stream. At most `max` bytes may be output. Error messages begin with
  // `where`.
  InflateStream(const ByteSource& source, int64_t offset, int64_t bytes,
                Format format, int64_t max, std::string where);
  ~InflateStream() override { inflateEnd(&stream_); }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  void read(std::span<char> to) override;
  // Reads up to to.size() bytes; returns the number read.
  size_t read_some(std::span<char> to);
  // Whether everything has been read; checks the end of the data.
  bool at_end();
  // Reads and discards the rest.
  void skip_rest();

  // An upper bound on the number of remaining bytes.
  int64_t remaining() const override { return remaining_; }
  std::string where() const override { return where_; }
  // The number of compressed bytes not consumed yet; at the end, of trailing
  // bytes.
  int64_t unread() const { return end_ - offset_ + stream_.avail_in; }

 private:
  size_t inflate_some(std::span<char> to);
  void fill();
  void step();
  void end_part();

  const ByteSource& source_;
  int64_t offset_;  // of the next byte to take from the source
  int64_t end_;
  Format format_;
  int64_t remaining_;
  std::string where_;
  z_stream stream_ = {};
  bool has_ended_ = false;
  bool has_ahead_ = false;  // whether `ahead_` is to be read next
  char ahead_ = 0;
  std::array<char, 64 << 10> buffer_;
};

}  // namespace catena::array
