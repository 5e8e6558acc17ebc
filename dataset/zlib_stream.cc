#include "catena/dataset/zlib_stream.h"

#include <algorithm>

#include "catena/array/error.h"

namespace catena::dataset {

ZlibStream::ZlibStream(const array::ByteSource& source, int64_t offset,
                       int64_t bytes, const LoadLimits& limits)
    : source_(source), offset_(offset), end_(offset + bytes) {
  if (__builtin_mul_overflow(bytes, limits.compression_ratio, &most_)) {
    most_ = limits.total_bytes;
  }
  most_ = std::min(most_, limits.total_bytes);
  if (inflateInit(&stream_) != Z_OK) {
    raise<OutOfMemoryError>(where(), ": no memory to decompress");
  }
}

void ZlibStream::read(std::span<char> to) {
  while (!to.empty()) {
    const size_t came = inflate_some(to);
    to = to.subspan(came);
    if (came == 0) {
      raise<IoError>(where(), ": damaged compressed data before offset ",
                     offset_, ": expected ", to.size(), " more bytes");
    }
  }
}

void ZlibStream::check_end() {
  std::array<char, 4096> unused;
  while (inflate_some(unused) > 0) {
  }
}

size_t ZlibStream::inflate_some(std::span<char> to) {
  const size_t room = std::min<size_t>(to.size(), 1 << 30);
  stream_.next_out = reinterpret_cast<Bytef*>(to.data());
  stream_.avail_out = static_cast<uInt>(room);
  while (!ended_ && stream_.avail_out == room) {
    if (stream_.avail_in == 0) {
      const auto bytes = static_cast<size_t>(std::min<int64_t>(
          static_cast<int64_t>(buffer_.size()), end_ - offset_));
      source_.read(offset_, std::span(buffer_).first(bytes));
      offset_ += static_cast<int64_t>(bytes);
      stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_in = static_cast<uInt>(bytes);
    }
    const int result = inflate(&stream_, Z_NO_FLUSH);
    ended_ = result == Z_STREAM_END;
    if (result != Z_OK && !ended_) {
      raise<IoError>(
          where(), ": damaged compressed data before offset ", offset_, " (",
          stream_.msg != nullptr ? stream_.msg : "its end is missing", ")");
    }
  }
  const size_t came = room - stream_.avail_out;
  most_ -= static_cast<int64_t>(came);
  if (most_ < 0) {
    raise<IoError>(where(),
                   ": expected no more bytes than the limits and the "
                   "compressed size allow");
  }
  return came;
}

}  // namespace catena::dataset
