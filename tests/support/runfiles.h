#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena::testing {

// The path of a file in the repository, such as
// "tests/golden/array/printing.npz", which must be in the test's `data`. Works
// for programs run by Bazel, started by hand next to their .runfiles folder, or
// started in the repository. Throws IoError naming the paths that were
// searched.
std::string runfile(std::string_view path);

// The names of the files of a folder of the repository that are in the `data`
// of the test, sorted: those that begin and end so. Throws IoError where there
// are none.
std::vector<std::string> runfile_names(std::string_view folder,
                                       std::string_view prefix,
                                       std::string_view suffix);

}  // namespace catena::testing
