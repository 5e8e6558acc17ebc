#pragma once

#include <string>

namespace catena::array {

// Whether an open file or folder is what the path names, which may have been
// removed or replaced since it was opened; a link is not what it leads to.
bool has_name(int descriptor, const std::string& path);

}  // namespace catena::array
