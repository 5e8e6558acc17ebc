#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace catena {

// Writes "warning: " and the text as a line to standard error, unless there was
// a warning of that key before in this process. For what works, but otherwise
// than a user expects, or at a cost. Thread-safe.
void warn_once(std::string_view key, const std::function<std::string()>& text);

}  // namespace catena
