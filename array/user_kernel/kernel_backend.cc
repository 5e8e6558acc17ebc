#include "catena/array/user_kernel/kernel_backend.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "catena/array/user_kernel/compile_error.h"

namespace catena::array {
namespace {

// Generated from array/core/float16.h and the two halves of the prelude.
constexpr std::string_view kPrelude =
#include "catena/array/user_kernel/kernel_prelude.inc"
    ;

std::string numbered(const UserText& text) {
  std::string shown;
  std::string_view rest = text.text;
  for (int line = 1; !rest.empty(); ++line) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string number = std::to_string(line);
    shown += std::string(4 - std::min<size_t>(number.size(), 4), ' ') + number +
             " | " + std::string(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return shown;
}

}  // namespace

std::string_view user_kernel_prelude() { return kPrelude; }

void throw_compile_error(const UserKernelProgram& program,
                         std::string_view messages) {
  std::string shown;
  for (const UserText& text : program.texts) {
    // "operation:2:5: error" from GCC and Clang, "operation(2): error" from
    // NVRTC.
    if (messages.find(text.part + ":") != std::string_view::npos ||
        messages.find(text.part + "(") != std::string_view::npos) {
      shown += text.part + ":\n" + numbered(text);
    }
  }
  raise<CompileError>(program.name,
                      ": expected code that compiles, got errors in\n", shown,
                      messages);
}

}  // namespace catena::array
