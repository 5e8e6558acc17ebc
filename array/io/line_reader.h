#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/io/decompressed_file.h"
#include "catena/array/io/load_limits.h"

namespace catena::array {

// The lines of a text file, which may be compressed by gzip. They end with LF
// or CRLF. Damage, and a line of more than limits.header_bytes, is an IoError.
class LineReader {
 public:
  // IoError, starting with `operation` and naming the path, when the file
  // cannot be opened.
  LineReader(const std::string& path, std::string_view operation,
             const LoadLimits& limits = {});

  // Makes `line` the next line, or appends that to it, without its end; false
  // when there is none.
  bool next(std::string& line) {
    line.clear();
    return append_to(line);
  }
  bool append_to(std::string& line);

  // The number of the line read last, from 1.
  int64_t number() const { return number_; }
  // How messages about the file begin.
  const std::string& where() const { return file_.where(); }

 private:
  std::string_view rest_of_buffer() const {
    return std::string_view(buffer_.data(), end_).substr(begin_);
  }

  DecompressedFile file_;
  size_t longest_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  int64_t number_ = 0;
};

}  // namespace catena::array
