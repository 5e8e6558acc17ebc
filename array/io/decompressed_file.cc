#include "catena/array/io/decompressed_file.h"

#include <algorithm>
#include <array>

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

bool begins_as_gzip(const ByteSource& source) {
  std::array<char, 2> magic;
  if (source.size() < 2) return false;
  source.read(0, magic);
  return magic[0] == '\x1f' && magic[1] == '\x8b';
}

}  // namespace

DecompressedFile::DecompressedFile(const std::string& path,
                                   std::string_view operation,
                                   const LoadLimits& limits)
    : source_(ByteSource::open(path, operation, limits)) {
  if (begins_as_gzip(source_)) {
    inflated_ = std::make_unique<InflateStream>(
        source_, 0, source_.size(), InflateStream::Format::kGzip,
        max_inflated(source_.size(), limits), where());
  }
}

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
  if (inflated_ != nullptr) {
    got = inflated_->read_some(to);
  } else {
    got = static_cast<size_t>(
        std::min<int64_t>(static_cast<int64_t>(to.size()), max_remaining()));
    source_.read(position_, to.first(got));
  }
  position_ += static_cast<int64_t>(got);
  return got;
}

bool DecompressedFile::at_end() {
  return inflated_ != nullptr ? inflated_->at_end() : max_remaining() == 0;
}

int64_t DecompressedFile::max_remaining() const {
  return inflated_ != nullptr ? inflated_->remaining()
                              : source_.size() - position_;
}

}  // namespace catena::array
