#pragma once

#include <iosfwd>

namespace catena::training::extensions {

inline constexpr const char* kClearToEnd = "\033[J";

// An output stream for human-readable text.
class Terminal {
 public:
  // Null: standard output.
  explicit Terminal(std::ostream* out);

  std::ostream& out() const { return out_; }
  // Whether it is standard output or error and a terminal, so that the cursor
  // can be moved.
  bool has_cursor() const { return has_cursor_; }
  // Whether it is standard output or error, redirected to a file or pipe.
  bool is_redirected() const { return is_redirected_; }

 private:
  std::ostream& out_;
  bool has_cursor_;
  bool is_redirected_;
};

}  // namespace catena::training::extensions
