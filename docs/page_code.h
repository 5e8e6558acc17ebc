#pragma once

#include <string>

// For tests of documentation: the code of a page is in the test's source.
namespace catena::testing {

// Expects the source to contain each "```cpp" block of the page, ignoring
// whitespace; for the first block, the includes, each line separately. Paths
// are relative to the root.
void expect_code_of_page(const std::string& page, const std::string& source,
                         int blocks);

}  // namespace catena::testing
