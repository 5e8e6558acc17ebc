#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "catena/array/io/byte_source.h"
#include "catena/array/io/inflate_stream.h"
#include "catena/array/io/load_limits.h"

namespace catena::array {

// Reads a file from front to end, decompressing it when it begins as gzip
// does. Damage (a wrong checksum, a missing end, bytes behind it) and output
// out of proportion to the file's size is an IoError.
class DecompressedFile {
 public:
  // IoError, starting with `operation` and naming the path, when the file
  // cannot be opened.
  DecompressedFile(const std::string& path, std::string_view operation,
                   const LoadLimits& limits = {});
  DecompressedFile(const DecompressedFile&) = delete;
  DecompressedFile& operator=(const DecompressedFile&) = delete;

  // Fills `to` with the next bytes. IoError when the data end before.
  void read(std::span<char> to);
  // The same, but as far as there are bytes; returns how many there were.
  size_t read_some(std::span<char> to);
  // Whether all has been read; checks what is at the end of a gzip file.
  bool at_end();

  // How many more bytes there can be at most.
  int64_t max_remaining() const;
  // "read_idx: 'x.gz'": how messages about the file begin.
  const std::string& where() const { return source_.where(); }

 private:
  ByteSource source_;
  std::unique_ptr<InflateStream> inflated_;  // null for a plain file
  int64_t position_ = 0;
};

}  // namespace catena::array
