#include "catena/array/io/decompressed_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "catena/array/error.h"

namespace catena::array {
namespace {

constexpr int kGzip = 16;  // added to the window's bits

bool begins_as_gzip(const ByteSource& source) {
  std::array<char, 2> magic;
  if (source.size() < 2) return false;
  source.read(0, magic);
  return magic[0] == '\x1f' && magic[1] == '\x8b';
}

}  // namespace

class DecompressedFile::Inflater {
 public:
  explicit Inflater(const ByteSource& source) : source_(source) {
    if (inflateInit2(&stream_, MAX_WBITS + kGzip) != Z_OK) {
      raise<OutOfMemoryError>(source.where(), ": no memory to decompress");
    }
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  size_t read_some(std::span<char> to) {
    size_t done = 0;
    while (done < to.size() && !finished_) {
      const size_t room = std::min<size_t>(to.size() - done, 1 << 30);
      stream_.next_out = reinterpret_cast<Bytef*>(to.data() + done);
      stream_.avail_out = static_cast<uInt>(room);
      step();
      done += room - stream_.avail_out;
    }
    return done;
  }

  // Whether nothing comes; takes in what ends the data.
  bool at_end() {
    if (finished_) return true;
    // Output that is there already shows only when there is room for it.
    return read_some({&ahead_, 1}) == 0;
  }

 private:
  void step() {
    if (stream_.avail_in == 0) fill();
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) return next_member();
    if (result == Z_OK || (result == Z_BUF_ERROR && stream_.avail_in == 0)) {
      return;
    }
    raise<IoError>(source_.where(), ": damaged gzip data (",
                   stream_.msg != nullptr ? stream_.msg : "no progress", ")");
  }

  void fill() {
    const auto size = static_cast<size_t>(std::min<int64_t>(
        static_cast<int64_t>(buffer_.size()), source_.size() - offset_));
    if (size == 0) {
      raise<IoError>(source_.where(),
                     ": truncated: expected more gzip data "
                     "after ",
                     offset_, " bytes");
    }
    source_.read(offset_, std::span(buffer_).first(size));
    offset_ += static_cast<int64_t>(size);
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(size);
  }

  // A gzip file may have several parts, but nothing else behind them.
  void next_member() {
    if (stream_.avail_in == 0 && offset_ == source_.size()) {
      finished_ = true;
      return;
    }
    if (stream_.avail_in == 0) fill();
    if (static_cast<unsigned char>(*stream_.next_in) != 0x1f) {
      raise<IoError>(source_.where(), ": unexpected bytes after the gzip data");
    }
    inflateReset(&stream_);
  }

  const ByteSource& source_;
  z_stream stream_{};
  std::array<char, 64 << 10> buffer_;
  int64_t offset_ = 0;
  bool finished_ = false;
  char ahead_ = 0;
};

DecompressedFile::DecompressedFile(const std::string& path,
                                   std::string_view operation,
                                   const LoadLimits& limits)
    : source_(ByteSource::open(path, operation, limits)), limits_(limits) {
  if (begins_as_gzip(source_)) inflater_ = std::make_unique<Inflater>(source_);
}

DecompressedFile::~DecompressedFile() = default;

void DecompressedFile::read(std::span<char> to) {
  const size_t got = read_some(to);
  if (got < to.size()) {
    raise<IoError>(where(), ": truncated: expected ", to.size(),
                   " more bytes at ", position_ - static_cast<int64_t>(got),
                   ", got ", got);
  }
}

size_t DecompressedFile::read_some(std::span<char> to) {
  size_t got = 0;
  if (inflater_ != nullptr) {
    got = inflater_->read_some(to);
  } else {
    got = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(to.size()),
                                                source_.size() - position_));
    source_.read(position_, to.first(got));
  }
  position_ += static_cast<int64_t>(got);
  if (position_ > largest_size()) {
    raise<IoError>(where(), ": expected at most ", largest_size(),
                   " bytes of data by the limits and the file's size");
  }
  return got;
}

bool DecompressedFile::at_end() {
  return inflater_ != nullptr ? inflater_->at_end()
                              : position_ == source_.size();
}

int64_t DecompressedFile::largest_size() const {
  if (inflater_ == nullptr) return source_.size();
  int64_t size = 0;
  if (__builtin_mul_overflow(source_.size(), limits_.compression_ratio,
                             &size)) {
    return limits_.total_bytes;
  }
  return std::min(size, limits_.total_bytes);
}

}  // namespace catena::array
