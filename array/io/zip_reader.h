#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/io/byte_source.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/little_endian.h"
#include "catena/array/io/load_limits.h"
#include "catena/array/io/zip_format.h"

namespace catena::array {

// One member of an archive, as the archive's directory describes it.
struct ZipMember {
  std::string name;
  ZipMethod method = ZipMethod::kStored;
  uint16_t flags = 0;
  uint32_t crc = 0;
  int64_t compressed = 0;    // bytes in the file
  int64_t uncompressed = 0;  // bytes after decompression
  int64_t header = 0;        // offset of its local header
  int64_t end = 0;           // offset of what follows it in the file
};

// A ZIP archive with stored and deflated members, with or without 64-bit sizes
// and data descriptors. The file is not trusted: the directory is checked when
// the archive is opened (bounds, limits, duplicate and dangerous names,
// overlapping members, ratio), each member when it is read (local header,
// sizes, checksum). Reading is thread-safe.
class ZipReader {
 public:
  // Reads the directory. Throws IoError, starting with source.where().
  ZipReader(ByteSource source, const LoadLimits& limits);

  // In directory order, without folders.
  const std::vector<ZipMember>& members() const { return members_; }
  // The member, or null.
  const ZipMember* find(std::string_view name) const;
  // Whether nothing stands before the archive.
  bool begins_with_member() const;
  // "load_npz: 'x.npz'": the beginning of error messages.
  const std::string& where() const { return source_.where(); }

  // The member's bytes. The reader must outlive the stream. read() throws
  // IoError on corruption, at the last byte at the latest, so that a member
  // read to its end is intact. remaining() can be trusted: if it exceeds 32
  // times the compressed size (and 1 MiB), the member is first decompressed
  // once to verify it.
  std::unique_ptr<ByteStream> open(const ZipMember& member) const;

 private:
  struct Directory {
    int64_t offset;
    int64_t bytes;
    int64_t entries;
  };

  Directory find_directory() const;
  Directory read_zip64_end(int64_t end) const;
  void read_directory(const Directory& directory);
  ZipMember read_entry(LittleEndianFields& fields) const;
  void check_member(const ZipMember& member) const;
  void check_layout(int64_t directory_offset);
  int64_t data_offset(const ZipMember& member) const;
  std::unique_ptr<ByteStream> make_stream(const ZipMember& member) const;

  ByteSource source_;
  LoadLimits limits_;
  std::vector<ZipMember> members_;
  std::vector<ZipMember> folders_;
  std::map<std::string, size_t, std::less<>> by_name_;
};

}  // namespace catena::array
