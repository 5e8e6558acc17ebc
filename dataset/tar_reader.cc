#include "catena/dataset/tar_reader.h"

#include <algorithm>
#include <array>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"

namespace catena::dataset {
namespace {

constexpr int64_t kBlock = 512;
using Header = std::array<char, kBlock>;

std::string_view field(const Header& header, size_t offset, size_t size) {
  const std::string_view text(header.data() + offset, size);
  return text.substr(0, text.find('\0'));
}

// An octal number, possibly surrounded by blanks; -1 for anything else.
int64_t octal(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  int64_t number = text.empty() ? -1 : 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '7') return -1;
    number = number * 8 + (digit - '0');
  }
  return number;
}

// The sum of all header bytes, counting the checksum field as blanks.
int64_t checksum(const Header& header) {
  int64_t sum = 0;
  for (size_t i = 0; i < header.size(); ++i) {
    const bool own = i >= 148 && i < 156;
    sum += own ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

}  // namespace

TarReader::TarReader(const std::string& path, std::string_view operation,
                     const LoadLimits& limits)
    : file_(path, operation, limits) {}

std::optional<TarReader::Member> TarReader::next() {
  for (;;) {
    skip(rest_ + padding_);
    rest_ = padding_ = 0;
    Header header;
    file_.read(header);
    if (std::ranges::all_of(header, [](char c) { return c == '\0'; })) {
      return std::nullopt;
    }
    if (octal(field(header, 148, 8)) != checksum(header)) {
      raise<IoError>(where(),
                     ": expected a tar archive, got a block with a wrong "
                     "checksum: not a tar file, or damaged");
    }
    Member member;
    const std::string_view prefix = field(header, 345, 155);
    if (field(header, 257, 6) == "ustar" && !prefix.empty()) {
      member.name = str(prefix, "/");
    }
    member.name += field(header, 0, 100);
    member.bytes = octal(field(header, 124, 12));
    if (member.bytes < 0 || member.bytes > file_.max_remaining()) {
      raise<IoError>(where(), ": ", array::quote(member.name),
                     ": expected at most ", file_.max_remaining(),
                     " bytes (limits and file size), got ",
                     array::quote(field(header, 124, 12)), " in octal");
    }
    rest_ = member.bytes;
    padding_ = (kBlock - member.bytes % kBlock) % kBlock;
    const char type = header[156];
    if (type == '0' || type == '\0') return member;
  }
}

void TarReader::read(std::span<char> to) {
  if (static_cast<int64_t>(to.size()) > rest_) {
    raise<IoError>(where(), ": expected a file with ", to.size(),
                   " more bytes, got one with ", rest_);
  }
  file_.read(to);
  rest_ -= static_cast<int64_t>(to.size());
}

void TarReader::skip(int64_t bytes) {
  std::array<char, 16 << 10> unused;
  while (bytes > 0) {
    const auto part = std::min<int64_t>(bytes, unused.size());
    file_.read(std::span(unused).first(static_cast<size_t>(part)));
    bytes -= part;
  }
}

}  // namespace catena::dataset
