#pragma once

#include <string>
#include <string_view>

namespace catena::testing {

// The path of a file in the repository, such as
// "tests/golden/array/printing.npz", which must be in the test's `data`. Works
// for programs run by Bazel, started by hand next to their .runfiles folder, or
// started in the repository. IoError naming the paths that were searched.
std::string runfile(std::string_view path);

}  // namespace catena::testing
