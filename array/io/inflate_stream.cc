#include "catena/array/io/inflate_stream.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

constexpr char kGzipMagic = '\x1f';

int window_bits(InflateStream::Format format) {
  switch (format) {
    case InflateStream::Format::kRaw:
      return -MAX_WBITS;
    case InflateStream::Format::kZlib:
      return MAX_WBITS;
    case InflateStream::Format::kGzip:
      break;
  }
  return MAX_WBITS + 16;
}

}  // namespace

int64_t max_inflated(int64_t compressed, const LoadLimits& limits) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(compressed, limits.compression_ratio, &bytes)) {
    return limits.total_bytes;
  }
  return std::min(bytes, limits.total_bytes);
}

InflateStream::InflateStream(const ByteSource& source, int64_t offset,
                             int64_t bytes, Format format, int64_t max,
                             std::string where)
    : source_(source),
      offset_(offset),
      end_(offset + bytes),
      format_(format),
      remaining_(max),
      where_(std::move(where)) {
  if (inflateInit2(&stream_, window_bits(format)) != Z_OK) {
    raise<OutOfMemoryError>(where_, ": no memory to decompress");
  }
}

void InflateStream::read(std::span<char> to) {
  const size_t got = read_some(to);
  if (got == to.size()) return;
  raise<IoError>(where_, ": the compressed data is truncated: expected ",
                 to.size(), " more bytes from it, got ", got);
}

size_t InflateStream::read_some(std::span<char> to) {
  size_t got = 0;
  if (has_ahead_ && !to.empty()) {
    to[0] = ahead_;
    has_ahead_ = false;
    got = 1;
  }
  got += inflate_some(to.subspan(got));
  remaining_ -= static_cast<int64_t>(got);
  if (remaining_ < 0) {
    raise<IoError>(where_, ": expected at most ",
                   remaining_ + static_cast<int64_t>(got),
                   " more bytes from the compressed data by its size and the "
                   "limits, got more");
  }
  return got;
}

// Pending output shows only if there is room for it.
bool InflateStream::at_end() {
  if (!has_ahead_) has_ahead_ = inflate_some({&ahead_, 1}) == 1;
  return !has_ahead_;
}

void InflateStream::skip_rest() {
  std::array<char, 4096> unused;
  while (read_some(unused) == unused.size()) {
  }
}

size_t InflateStream::inflate_some(std::span<char> to) {
  size_t done = 0;
  while (done < to.size() && !has_ended_) {
    const size_t room = std::min<size_t>(to.size() - done, 1 << 30);
    stream_.next_out = reinterpret_cast<Bytef*>(to.data() + done);
    stream_.avail_out = static_cast<uInt>(room);
    step();
    done += room - stream_.avail_out;
  }
  return done;
}

void InflateStream::fill() {
  const auto count = static_cast<size_t>(
      std::min<int64_t>(static_cast<int64_t>(buffer_.size()), end_ - offset_));
  source_.read(offset_, std::span(buffer_).first(count));
  offset_ += static_cast<int64_t>(count);
  stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
  stream_.avail_in = static_cast<uInt>(count);
}

void InflateStream::step() {
  if (stream_.avail_in == 0) fill();
  // Without input there may still be pending output.
  switch (inflate(&stream_, Z_NO_FLUSH)) {
    case Z_OK:
      return;
    case Z_STREAM_END:
      return end_part();
    case Z_MEM_ERROR:
      raise<OutOfMemoryError>(where_, ": no memory to decompress");
    case Z_BUF_ERROR:
      raise<IoError>(where_, ": the compressed data is truncated: expected ",
                     "more of it after ", offset_, " bytes");
    default:
      raise<IoError>(
          where_, ": the compressed data is damaged before offset ", offset_,
          " (", stream_.msg != nullptr ? stream_.msg : "it needs a dictionary",
          ")");
  }
}

// A gzip file may have several members, but no other trailing bytes.
void InflateStream::end_part() {
  if (format_ != Format::kGzip || unread() == 0) {
    has_ended_ = true;
    return;
  }
  if (stream_.avail_in == 0) fill();
  if (static_cast<char>(*stream_.next_in) != kGzipMagic) {
    raise<IoError>(where_, ": unexpected bytes after the gzip data");
  }
  inflateReset(&stream_);
}

}  // namespace catena::array
