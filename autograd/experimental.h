#pragma once

#include <string_view>

namespace catena {

// Warns on stderr, once per name, that an API is experimental and may change.
// Call it where the API is used.
void experimental(std::string_view api_name);

// Silences experimental() in all threads.
void disable_experimental_warning(bool disable = true);

}  // namespace catena
