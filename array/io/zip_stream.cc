#include "catena/array/io/zip_stream.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/io/crc32.h"

namespace catena::array {
namespace {

// A chunk that fits the cache is still there when its checksum is computed.
constexpr size_t kBlock = 256 << 10;

}  // namespace

ZipStream::ZipStream(const ByteSource& source, const ZipMember& member,
                     int64_t data, std::string where)
    : source_(source),
      member_(member),
      where_(std::move(where)),
      position_(data),
      remaining_(member.uncompressed) {
  if (member_.method == ZipMethod::kDeflated) {
    inflated_.emplace(source_, data, member_.compressed,
                      InflateStream::Format::kRaw, member_.uncompressed,
                      where_);
  }
}

void ZipStream::read(std::span<char> to) {
  if (static_cast<int64_t>(to.size()) > remaining_) {
    raise<IoError>(where_, ": expected ", to.size(), " more bytes, got ",
                   remaining_);
  }
  while (!to.empty()) {
    const std::span<char> block = to.first(std::min(to.size(), kBlock));
    if (inflated_) {
      read_deflated(block);
    } else {
      read_stored(block);
    }
    crc_ = crc32_of(block, crc_);
    remaining_ -= static_cast<int64_t>(block.size());
    to = to.subspan(block.size());
  }
  if (remaining_ == 0 && !finished_) finish();
}

void ZipStream::read_stored(std::span<char> to) {
  source_.read(position_, to);
  position_ += static_cast<int64_t>(to.size());
}

void ZipStream::read_deflated(std::span<char> to) {
  const auto got = static_cast<int64_t>(inflated_->read_some(to));
  if (got < static_cast<int64_t>(to.size())) {
    raise<IoError>(where_, ": the compressed data is damaged: expected ",
                   member_.uncompressed, " bytes from it, got ",
                   member_.uncompressed - remaining_ + got);
  }
}

void ZipStream::finish() {
  finished_ = true;
  if (inflated_ && !inflated_->at_end()) {
    raise<IoError>(where_, ": expected ", member_.uncompressed,
                   " bytes from the compressed data, got more");
  }
  if (inflated_ && inflated_->unread() != 0) {
    raise<IoError>(where_,
                   ": the compressed data is damaged: expected it to end "
                   "after ",
                   member_.compressed, " bytes, got an end after ",
                   member_.compressed - inflated_->unread());
  }
  if (crc_ != member_.crc) {
    raise<IoError>(where_, ": the data is damaged: expected checksum ",
                   member_.crc, ", got ", crc_);
  }
}

}  // namespace catena::array
