#pragma once

#include <zlib.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catena/array/io/zip_format.h"

namespace catena::array {

// A member as a test wants it in an archive, valid or corrupt.
struct RawMember {
  RawMember(std::string name, std::string data)
      : name(std::move(name)),
        data(std::move(data)),
        crc(static_cast<uint32_t>(
            crc32(0, reinterpret_cast<const Bytef*>(this->data.data()),
                  static_cast<uInt>(this->data.size())))),
        compressed(this->data.size()),
        uncompressed(this->data.size()) {}

  std::string name;
  std::string data;  // as in the file, possibly compressed
  uint16_t method = 0;
  uint16_t flags = 0;
  uint32_t crc;
  uint64_t compressed;
  uint64_t uncompressed;
  std::string extra;            // in the directory
  std::string local_extra;      // before the data
  std::string local_name = {};  // if different from name
  std::string after = {};       // bytes after the data, such as a descriptor
  uint64_t offset_shift = 0;    // added to its offset in the directory
};

// The fields of the end record, which tests may corrupt.
struct RawEnd {
  uint64_t entries;
  uint64_t bytes;
  uint64_t offset;
  std::string comment;
};

// Builds an archive of these members. `edit` may change the end record.
inline std::string build_zip(
    const std::vector<RawMember>& members,
    const std::function<void(RawEnd&)>& edit = [](RawEnd&) {}) {
  std::string file;
  std::string directory;
  for (const RawMember& m : members) {
    const bool descriptor = (m.flags & kZipHasDescriptor) != 0;
    const std::string& local_name =
        m.local_name.empty() ? m.name : m.local_name;
    const uint64_t offset = file.size() + m.offset_shift;
    file += ZipRecord()
                .u32(kZipLocalHeader)
                .u16(20)
                .u16(m.flags)
                .u16(m.method)
                .u32(0)
                .u32(descriptor ? 0 : m.crc)
                .u32(descriptor ? 0 : m.compressed)
                .u32(descriptor ? 0 : m.uncompressed)
                .u16(local_name.size())
                .u16(m.local_extra.size())
                .bytes(local_name)
                .bytes(m.local_extra)
                .str();
    file += m.data + m.after;
    directory += ZipRecord()
                     .u32(kZipDirectoryEntry)
                     .u16(20)
                     .u16(20)
                     .u16(m.flags)
                     .u16(m.method)
                     .u32(0)
                     .u32(m.crc)
                     .u32(m.compressed)
                     .u32(m.uncompressed)
                     .u16(m.name.size())
                     .u16(m.extra.size())
                     .u16(0)
                     .u16(0)
                     .u16(0)
                     .u32(0)
                     .u32(offset)
                     .bytes(m.name)
                     .bytes(m.extra)
                     .str();
  }
  RawEnd end = {members.size(), directory.size(), file.size(), ""};
  edit(end);
  return file + directory +
         ZipRecord()
             .u32(kZipEnd)
             .u16(0)
             .u16(0)
             .u16(end.entries)
             .u16(end.entries)
             .u32(end.bytes)
             .u32(end.offset)
             .u16(end.comment.size())
             .bytes(end.comment)
             .str();
}

// Raw deflate, as in an archive.
inline std::string deflated(const std::string& data) {
  std::string result(compressBound(data.size()) + 16, '\0');
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

}  // namespace catena::array
