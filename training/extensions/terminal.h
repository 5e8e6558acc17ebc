#pragma once

#include <iosfwd>

namespace catena::training::extensions {

inline constexpr const char* kClearToEnd = "\033[J";

// A stream that text for people goes to.
class Terminal {
 public:
  // Null stands for standard output.
  explicit Terminal(std::ostream* out);

  std::ostream& out() const { return out_; }
  // Whether it is standard output or error and a person looks at it: only then
  // may the cursor be moved.
  bool has_cursor() const { return has_cursor_; }
  // Whether it is standard output or error, but goes to a file or a program.
  bool is_redirected() const { return is_redirected_; }

 private:
  std::ostream& out_;
  bool has_cursor_;
  bool is_redirected_;
};

}  // namespace catena::training::extensions
