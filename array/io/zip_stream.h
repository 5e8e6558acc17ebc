#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "catena/array/io/byte_source.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/inflate_stream.h"
#include "catena/array/io/zip_reader.h"

namespace catena::array {

// The uncompressed bytes of one member of an archive.
class ZipStream final : public ByteStream {
 public:
  // `data` is the offset of the member's first byte. Source and member must
  // outlive the stream.
  ZipStream(const ByteSource& source, const ZipMember& member, int64_t data,
            std::string where);

  // At the last byte, checks that the data ends and verifies its checksum.
  void read(std::span<char> to) override;
  int64_t remaining() const override { return remaining_; }
  std::string where() const override { return where_; }

 private:
  void read_stored(std::span<char> to);
  void read_deflated(std::span<char> to);
  void finish();

  const ByteSource& source_;
  const ZipMember& member_;
  std::string where_;
  int64_t position_;   // of the next stored byte
  int64_t remaining_;  // uncompressed bytes left
  uint32_t crc_ = 0;
  bool finished_ = false;
  std::optional<InflateStream> inflated_;  // nullopt for a stored member
};

}  // namespace catena::array
