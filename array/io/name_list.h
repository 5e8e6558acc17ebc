#pragma once

#include <span>
#include <string>
#include <string_view>

namespace catena::array {

// A list of existing names for the message about a missing one: all of them, up
// to 20; of more, those most similar to it: "'l1/W', 'l1/b' and 40 others".
// "none" if there are none.
std::string list_names(std::span<const std::string> names,
                       std::string_view missing);

}  // namespace catena::array
