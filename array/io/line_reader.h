#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/io/decompressed_file.h"
#include "catena/array/io/load_limits.h"

namespace catena::array {

// Reads the lines of a text file, plain or gzipped. Lines end with LF or CRLF.
// Corruption and lines longer than limits.header_bytes throw IoError.
class LineReader {
 public:
  // Throws IoError, starting with `operation` and naming the path, when the
  // file cannot be opened.
  LineReader(const std::string& path, std::string_view operation,
             const LoadLimits& limits = {});

  // Set `line` to the next line, or append it, without the line ending. Return
  // false at the end of the file.
  bool next(std::string& line) {
    line.clear();
    return append_to(line);
  }
  bool append_to(std::string& line);

  // The number of the last line read, starting at 1.
  int64_t number() const { return number_; }
  // The beginning of error messages about the file.
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
