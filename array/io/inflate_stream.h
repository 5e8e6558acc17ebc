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

// How many bytes so many compressed ones may hold: by the limits' ratio, and
// not more than their total.
int64_t max_inflated(int64_t compressed, const LoadLimits& limits);

// What a part of a source, compressed by deflate, holds. Damage, an end that is
// missing and more bytes than may come are IoErrors.
class InflateStream final : public ByteStream {
 public:
  // What is around the compressed data: nothing, or a header and a checksum;
  // gzip's may follow one another.
  enum class Format { kRaw, kZlib, kGzip };
  // The part of the source, which must outlive the stream, begins at `offset`
  // and has `bytes` bytes. At most `max` bytes may come of it. `where` begins
  // messages.
  InflateStream(const ByteSource& source, int64_t offset, int64_t bytes,
                Format format, int64_t max, std::string where);
  ~InflateStream() override { inflateEnd(&stream_); }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  void read(std::span<char> to) override;
  // The same as far as there are bytes; returns how many there were.
  size_t read_some(std::span<char> to);
  // Whether all has been read; checks what ends the data.
  bool at_end();
  // Reads what is left.
  void skip_rest();

  // How many more bytes there can be at most.
  int64_t remaining() const override { return remaining_; }
  std::string where() const override { return where_; }
  // Compressed bytes that were not needed so far; at the end those behind it.
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
