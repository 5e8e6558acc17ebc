#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "catena/array/io/byte_source.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/load_limits.h"

namespace catena::dataset {

// What a part of a source, compressed in zlib's format, holds.
class ZlibStream final : public array::ByteStream {
 public:
  // The source must outlive the stream.
  ZlibStream(const array::ByteSource& source, int64_t offset, int64_t bytes,
             const LoadLimits& limits);
  ~ZlibStream() override { inflateEnd(&stream_); }
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;

  // IoError when the data are damaged or end before.
  void read(std::span<char> to) override;
  // Reads up to where the data end, which has their checksum. IoError.
  void check_end();
  // How many there can be at most, by the limits and the compressed size.
  int64_t remaining() const override { return most_; }
  std::string where() const override { return source_.where(); }

 private:
  // Inflates up to `to.size()` bytes; fewer at the end. IoError.
  size_t inflate_some(std::span<char> to);

  const array::ByteSource& source_;
  int64_t offset_;
  int64_t end_;
  int64_t most_;
  z_stream stream_{};
  bool ended_ = false;
  std::array<char, 64 << 10> buffer_;
};

}  // namespace catena::dataset
