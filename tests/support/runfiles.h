#pragma once

#include <string>
#include <string_view>

namespace catena::testing {

// Where a file of the repository, such as "tests/golden/array/printing.npz",
// lies for this program: it must be in the `data` of the test. Works for tests
// and programs run by Bazel, for those started by hand next to their .runfiles
// folder, and for those started in the repository. IoError naming the places
// that were searched.
std::string runfile(std::string_view path);

}  // namespace catena::testing
