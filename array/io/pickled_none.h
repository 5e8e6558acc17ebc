#pragma once

#include <string_view>

namespace catena::array {

// Whether a pickle is the one that a release of NumPy makes of a 0-d array of
// None, in protocol 2 to 5. The pickle is only compared: nothing is unpickled.
bool is_pickled_none(std::string_view pickle);

}  // namespace catena::array
