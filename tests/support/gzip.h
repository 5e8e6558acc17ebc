#pragma once

#include <string>

namespace catena::testing {

// The bytes of a gzip file that holds these.
std::string gzip(const std::string& bytes);

}  // namespace catena::testing
