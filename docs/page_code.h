#pragma once

#include <string>

// For tests of pages: the code of a page is in the test's source.
namespace catena::testing {

// Expects that each "```cpp" block of the page, and of the first one, the
// includes, each line, is in the source, apart from blanks and ends of lines.
// Paths are relative to the root.
void expect_code_of_page(const std::string& page, const std::string& source,
                         int blocks);

}  // namespace catena::testing
