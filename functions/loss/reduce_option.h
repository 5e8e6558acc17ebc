#pragma once

#include <string_view>

namespace catena::functions {

// The `reduce` option of losses: whether it is "mean" rather than "no".
// ValueError naming the operation for any other text.
bool is_mean(std::string_view reduce, std::string_view operation);

}  // namespace catena::functions
