#include "catena/tests/fuzzing/mend.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

namespace catena::testing {
namespace {

using Bytes = std::span<uint8_t>;

// Data that grows beyond this is not mended.
constexpr size_t kMaxInflated = 1 << 20;

template <class Number>
Number read_little(Bytes bytes, size_t at) {
  Number value = 0;
  for (size_t i = 0; i < sizeof(Number); ++i) {
    value |= static_cast<Number>(static_cast<Number>(bytes[at + i]) << 8 * i);
  }
  return value;
}

template <class Number>
void write_little(Bytes bytes, size_t at, Number value) {
  for (size_t i = 0; i < sizeof(Number); ++i) {
    bytes[at + i] = static_cast<uint8_t>(value >> 8 * i);
  }
}

uint32_t read_big(Bytes bytes, size_t at) {
  return __builtin_bswap32(read_little<uint32_t>(bytes, at));
}

void write_big(Bytes bytes, size_t at, uint32_t value) {
  write_little(bytes, at, __builtin_bswap32(value));
}

uint32_t crc_of(Bytes bytes) {
  return static_cast<uint32_t>(
      crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

struct Inflated {
  size_t taken = 0;  // bytes of compressed data
  uint32_t size = 0;
  uint32_t crc = 0;
};

// What a stream without header grows to; nullopt if it is damaged or large.
std::optional<Inflated> inflated(Bytes bytes) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  stream.next_in = bytes.data();
  stream.avail_in = static_cast<uInt>(bytes.size());
  Inflated result;
  std::array<uint8_t, 4096> buffer;
  int status = Z_OK;
  while (status == Z_OK && stream.total_out < kMaxInflated) {
    stream.next_out = buffer.data();
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    result.crc = static_cast<uint32_t>(
        crc32(result.crc, buffer.data(),
              static_cast<uInt>(buffer.size() - stream.avail_out)));
  }
  result.taken = stream.total_in;
  result.size = static_cast<uint32_t>(stream.total_out);
  inflateEnd(&stream);
  if (status != Z_STREAM_END) return std::nullopt;
  return result;
}

// One member, by its entry in the directory.
void mend_member(Bytes file, Bytes entry) {
  constexpr size_t kLocalHeader = 30;
  const auto method = read_little<uint16_t>(entry, 10);
  const auto stored = read_little<uint32_t>(entry, 20);
  const auto local = read_little<uint32_t>(entry, 42);
  if (local > file.size() || file.size() - local < kLocalHeader) return;
  const Bytes header = file.subspan(local);
  if (!starts_with(header, "PK\3\4")) return;
  const size_t begin = kLocalHeader + read_little<uint16_t>(header, 26) +
                       read_little<uint16_t>(header, 28);
  if (begin > header.size()) return;
  const Bytes data =
      header.subspan(begin, std::min<size_t>(stored, header.size() - begin));
  Inflated content = {.taken = data.size(),
                      .size = static_cast<uint32_t>(data.size()),
                      .crc = crc_of(data)};
  if (method == 8) {
    const auto grown = inflated(header.subspan(begin));
    if (!grown) return;
    content = *grown;
  } else if (method != 0) {
    return;
  }
  const auto write = [&](Bytes bytes, size_t at) {
    write_little(bytes, at, content.crc);
    // The lengths may be in an extra field.
    if (read_little<uint32_t>(bytes, at + 4) == UINT32_MAX) return;
    write_little(bytes, at + 4, static_cast<uint32_t>(content.taken));
    write_little(bytes, at + 8, content.size);
  };
  write(header, 14);
  write(entry, 16);
  write_little(header, 8, method);
}

}  // namespace

void mend_zip(std::span<uint8_t> file) {
  constexpr size_t kEnd = 22;
  constexpr size_t kEntry = 46;
  if (file.size() < kEnd) return;
  size_t end = file.size() - kEnd;
  while (end > 0 && !starts_with(file.subspan(end), "PK\5\6")) --end;
  if (!starts_with(file.subspan(end), "PK\5\6")) return;
  size_t at = read_little<uint32_t>(file, end + 16);
  while (at <= end && end - at >= kEntry &&
         starts_with(file.subspan(at), "PK\1\2")) {
    const Bytes entry = file.subspan(at);
    mend_member(file, entry);
    at += kEntry + read_little<uint16_t>(entry, 28) +
          read_little<uint16_t>(entry, 30) + read_little<uint16_t>(entry, 32);
  }
}

void mend_gzip(std::span<uint8_t> file) {
  constexpr size_t kHeader = 10;
  constexpr uint8_t kName = 8;
  if (file.size() < kHeader || !starts_with(file, "\x1f\x8b\x08")) return;
  // Other fields than a name are left to chance.
  size_t begin = kHeader;
  if ((file[3] & ~kName) != 0) return;
  if (file[3] == kName) {
    while (begin < file.size() && file[begin] != 0) ++begin;
    begin = std::min(begin + 1, file.size());
  }
  const auto content = inflated(file.subspan(begin));
  if (!content || file.size() - begin - content->taken < 8) return;
  write_little(file, begin + content->taken, content->crc);
  write_little(file, begin + content->taken + 4, content->size);
}

void mend_png(std::span<uint8_t> file) {
  constexpr size_t kSignature = 8;
  constexpr size_t kAround = 12;  // length, type and CRC-32
  if (!starts_with(file, "\x89PNG")) return;
  for (size_t at = kSignature; at <= file.size();) {
    const Bytes chunk = file.subspan(at);
    if (chunk.size() < kAround) return;
    const size_t size = read_big(chunk, 0);
    if (size > chunk.size() - kAround) return;
    write_big(chunk, 8 + size, crc_of(chunk.subspan(4, 4 + size)));
    at += kAround + size;
  }
}

void mend_tar(std::span<uint8_t> file) {
  constexpr size_t kBlock = 512;
  constexpr size_t kSize = 124;
  constexpr size_t kChecksum = 148;
  constexpr size_t kDigits = 8;
  mend_gzip(file);
  for (size_t at = 0; file.size() - at >= kBlock;) {
    const Bytes header = file.subspan(at, kBlock);
    if (!starts_with(header.subspan(257), "ustar")) return;
    // The sum of all bytes, with spaces for the checksum, in octal digits.
    std::memset(&header[kChecksum], ' ', kDigits);
    const unsigned sum = std::accumulate(header.begin(), header.end(), 0U);
    std::snprintf(reinterpret_cast<char*>(&header[kChecksum]), kDigits, "%06o",
                  sum);
    const std::string size(reinterpret_cast<const char*>(&header[kSize]), 11);
    const size_t content = std::strtoull(size.c_str(), nullptr, 8);
    if (content > file.size() - at - kBlock) return;
    at += kBlock + (content + kBlock - 1) / kBlock * kBlock;
    if (at > file.size()) return;
  }
}

void mend_npy(std::span<uint8_t> file) {
  if (file.size() < 12 || !starts_with(file, "\x93NUMPY")) return;
  const size_t begin = file[6] == 1 ? 10 : 12;
  const auto line = std::find(file.begin() + static_cast<int64_t>(begin),
                              file.end(), uint8_t{'\n'});
  if (line == file.end()) return;
  const auto size = static_cast<uint32_t>(line - file.begin() + 1 -
                                          static_cast<int64_t>(begin));
  if (begin == 10) {
    write_little(file, 8, static_cast<uint16_t>(size));
  } else {
    write_little(file, 8, size);
  }
}

void mend_safetensors(std::span<uint8_t> file) {
  if (file.size() < 9 || file[8] != '{') return;
  int open = 0;
  for (size_t at = 8; at < file.size(); ++at) {
    if (file[at] == '{') ++open;
    if (file[at] == '}' && --open == 0) {
      write_little(file, 0, static_cast<uint64_t>(at + 1 - 8));
      return;
    }
  }
}

}  // namespace catena::testing
