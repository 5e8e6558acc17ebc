#include "catena/training/extensions/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace catena::training::extensions {
namespace {

// The file descriptor of a standard stream; -1 for others.
int descriptor_of(const std::ostream& out) {
  if (&out == &std::cout) return STDOUT_FILENO;
  if (&out == &std::cerr || &out == &std::clog) return STDERR_FILENO;
  return -1;
}

bool is_dumb() {
  const char* kind = std::getenv("TERM");
  return kind != nullptr && std::string_view(kind) == "dumb";
}

}  // namespace

Terminal::Terminal(std::ostream* out)
    : out_(out != nullptr ? *out : std::cout) {
  const int descriptor = descriptor_of(out_);
  has_cursor_ = descriptor >= 0 && ::isatty(descriptor) == 1 && !is_dumb();
  is_redirected_ = descriptor >= 0 && !has_cursor_;
}

}  // namespace catena::training::extensions
