#pragma once

#include <string>

namespace catena::testing {

// Compresses bytes to a gzip file.
std::string gzip(const std::string& bytes);

}  // namespace catena::testing
