#pragma once

#include <string_view>

namespace catena {

// Writes to stderr, the first time for each name, that what bears it is
// experimental and may change. To be called where it is used.
void experimental(std::string_view api_name);

// Whether experimental() keeps silent, in all threads.
void disable_experimental_warning(bool disable = true);

}  // namespace catena
