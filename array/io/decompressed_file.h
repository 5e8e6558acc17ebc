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

// Reads a file sequentially, decompressing it if it starts with the gzip magic.
// Throws IoError for corruption (wrong checksum, truncation, trailing bytes)
// and for output out of proportion to the file's size.
class DecompressedFile {
 public:
  // Throws IoError, starting with `operation` and naming the path, when the
  // file cannot be opened.
  DecompressedFile(const std::string& path, std::string_view operation,
                   const LoadLimits& limits = {});
  DecompressedFile(const DecompressedFile&) = delete;
  DecompressedFile& operator=(const DecompressedFile&) = delete;

  // Fills `to` with the next bytes. Throws IoError when the data ends early.
  void read(std::span<char> to);
  // Reads up to to.size() bytes; returns the number read.
  size_t read_some(std::span<char> to);
  // Whether everything has been read; checks the trailer of a gzip file.
  bool at_end();

  // An upper bound on the number of remaining bytes.
  int64_t max_remaining() const;
  // "read_idx: 'x.gz'": the beginning of error messages about the file.
  const std::string& where() const { return source_.where(); }

 private:
  ByteSource source_;
  std::unique_ptr<InflateStream> inflated_;  // null for a plain file
  int64_t position_ = 0;
};

}  // namespace catena::array
