#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace catena::serializers {

// Words in an HDF5 file, of letters, digits and _, which the names of its
// groups and datasets are among; at most `most` of them.
std::set<std::string> words_of(std::string_view file, size_t most);

}  // namespace catena::serializers
