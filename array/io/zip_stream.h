#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "catena/array/io/byte_source.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/zip_reader.h"

namespace catena::array {

// The uncompressed bytes of one member of an archive.
class ZipStream final : public ByteStream {
 public:
  // `data` is the offset of the member's first byte. Source and member must
  // outlive the stream.
  ZipStream(const ByteSource& source, const ZipMember& member, int64_t data,
            std::string where);
  ~ZipStream() override;
  ZipStream(const ZipStream&) = delete;
  ZipStream& operator=(const ZipStream&) = delete;

  // With the last byte, checks that the data ends there and its checksum.
  void read(std::span<char> to) override;
  int64_t remaining() const override { return remaining_; }
  std::string where() const override { return where_; }

 private:
  void read_stored(std::span<char> to);
  void inflate_into(std::span<char> to);
  // Runs inflate() for up to `to.size()` more bytes; how many came.
  size_t inflate_some(std::span<char> to);
  void finish();

  const ByteSource& source_;
  const ZipMember& member_;
  std::string where_;
  int64_t position_;   // of the next byte to read from the source
  int64_t unread_;     // bytes of the member from there on
  int64_t remaining_;  // uncompressed bytes to come
  uint32_t crc_ = 0;
  bool finished_ = false;
  bool ended_ = false;  // the compressed stream said that it ends
  z_stream inflate_ = {};
  std::array<char, 64 << 10> buffer_;
};

}  // namespace catena::array
