#include "catena/array/io/line_reader.h"

#include "catena/array/core/error.h"

namespace catena::array {

LineReader::LineReader(const std::string& path, std::string_view operation,
                       const LoadLimits& limits)
    : file_(path, operation, limits),
      longest_(static_cast<size_t>(limits.header_bytes)),
      buffer_(64 << 10) {}

bool LineReader::append_to(std::string& line) {
  const size_t begin = line.size();
  bool found = false;
  for (;;) {
    const std::string_view rest = rest_of_buffer();
    const size_t end = rest.find('\n');
    line += rest.substr(0, end);
    if (line.size() > longest_) {
      raise<IoError>(file_.where(), ": line ", number_ + 1,
                     ": expected lines of at most ", longest_,
                     " bytes (LoadLimits::header_bytes)");
    }
    found |= !rest.empty();
    if (end != std::string_view::npos) {
      begin_ += end + 1;
      break;
    }
    begin_ = 0;
    end_ = file_.read_some(buffer_);
    if (end_ == 0) break;
  }
  if (!found) return false;
  if (line.size() > begin && line.ends_with('\r')) line.pop_back();
  ++number_;
  return true;
}

}  // namespace catena::array
