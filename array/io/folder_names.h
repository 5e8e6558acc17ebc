#pragma once

#include <optional>
#include <string>
#include <vector>

namespace catena::array {

// The names of all that is in a folder, in no particular order. nullopt, with
// errno set, if it cannot be read. (std::filesystem::directory_iterator of
// libstdc++ ends the process where there is no memory.)
std::optional<std::vector<std::string>> folder_names(const std::string& folder);

}  // namespace catena::array
