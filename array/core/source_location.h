#pragma once

#include <cstdint>
#include <source_location>

namespace catena {

// std::source_location, which libstdc++ lacks with Clang 15 and older.
#ifdef __cpp_lib_source_location
using SourceLocation = std::source_location;
#else
class SourceLocation {
 public:
  static constexpr SourceLocation current(
      const char* file = __builtin_FILE(),
      const char* function = __builtin_FUNCTION(),
      uint_least32_t line = __builtin_LINE()) {
    SourceLocation here;
    here.file_ = file;
    here.function_ = function;
    here.line_ = line;
    return here;
  }

  constexpr const char* file_name() const { return file_; }
  constexpr const char* function_name() const { return function_; }
  constexpr uint_least32_t line() const { return line_; }

 private:
  const char* file_ = "";
  const char* function_ = "";
  uint_least32_t line_ = 0;
};
#endif

}  // namespace catena
