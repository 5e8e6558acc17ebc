#include "catena/array/io/zip_stream.h"

#include <algorithm>
#include <new>
#include <utility>

#include "catena/array/error.h"

namespace catena::array {
namespace {

// zlib counts bytes in 32 bits, and a block that fits the cache is still there
// when its checksum is computed.
constexpr size_t kBlock = 256 << 10;

}  // namespace

ZipStream::ZipStream(const ByteSource& source, const ZipMember& member,
                     int64_t data, std::string where)
    : source_(source),
      member_(member),
      where_(std::move(where)),
      position_(data),
      unread_(member.compressed),
      remaining_(member.uncompressed) {
  constexpr int kRawDeflate = -MAX_WBITS;
  if (member_.method == ZipMethod::kDeflated &&
      inflateInit2(&inflate_, kRawDeflate) != Z_OK) {
    throw std::bad_alloc();
  }
}

ZipStream::~ZipStream() {
  if (member_.method == ZipMethod::kDeflated) inflateEnd(&inflate_);
}

void ZipStream::read(std::span<char> to) {
  if (static_cast<int64_t>(to.size()) > remaining_) {
    raise<IoError>(where_, ": expected ", to.size(), " more bytes, got ",
                   remaining_);
  }
  while (!to.empty()) {
    const std::span<char> block = to.first(std::min(to.size(), kBlock));
    if (member_.method == ZipMethod::kStored) {
      read_stored(block);
    } else {
      inflate_into(block);
    }
    crc_ = static_cast<uint32_t>(
        crc32(crc_, reinterpret_cast<const Bytef*>(block.data()),
              static_cast<uInt>(block.size())));
    remaining_ -= static_cast<int64_t>(block.size());
    to = to.subspan(block.size());
  }
  if (remaining_ == 0 && !finished_) finish();
}

void ZipStream::read_stored(std::span<char> to) {
  source_.read(position_, to);
  position_ += static_cast<int64_t>(to.size());
  unread_ -= static_cast<int64_t>(to.size());
}

void ZipStream::inflate_into(std::span<char> to) {
  while (!to.empty()) {
    const size_t got = inflate_some(to);
    if (got == 0) {
      raise<IoError>(where_, ": the compressed data is damaged: expected ",
                     member_.uncompressed, " bytes from it, got ",
                     member_.uncompressed - remaining_);
    }
    to = to.subspan(got);
  }
}

size_t ZipStream::inflate_some(std::span<char> to) {
  inflate_.next_out = reinterpret_cast<Bytef*>(to.data());
  inflate_.avail_out = static_cast<uInt>(to.size());
  while (inflate_.avail_out == to.size() && !ended_) {
    if (inflate_.avail_in == 0) {
      const auto count = static_cast<size_t>(
          std::min<int64_t>(unread_, static_cast<int64_t>(buffer_.size())));
      if (count == 0) break;
      read_stored({buffer_.data(), count});
      inflate_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
      inflate_.avail_in = static_cast<uInt>(count);
    }
    const int status = inflate(&inflate_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    ended_ = status == Z_STREAM_END;
    if (status != Z_OK && !ended_) break;  // the data is not deflate's
  }
  return to.size() - inflate_.avail_out;
}

void ZipStream::finish() {
  finished_ = true;
  if (member_.method == ZipMethod::kDeflated) {
    char one_more;
    if (inflate_some({&one_more, 1}) != 0) {
      raise<IoError>(where_, ": expected ", member_.uncompressed,
                     " bytes from the compressed data, got more");
    }
    if (!ended_ || unread_ != 0 || inflate_.avail_in != 0) {
      raise<IoError>(where_,
                     ": the compressed data is damaged: expected it to "
                     "end after ",
                     member_.compressed, " bytes, got ",
                     ended_ ? "an earlier end" : "no end");
    }
  }
  if (crc_ != member_.crc) {
    raise<IoError>(where_, ": the data is damaged: expected checksum ",
                   member_.crc, ", got ", crc_);
  }
}

}  // namespace catena::array
