#pragma once

#include <cstdint>
#include <string_view>

namespace catena::dataset {

// For get_example: throws IndexError, with the dataset's name, unless 0 <= i <
// size.
void check_index(std::string_view who, int64_t i, int64_t size);

}  // namespace catena::dataset
