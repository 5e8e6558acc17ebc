#pragma once

#include <string>
#include <vector>

// For tests of documentation: the code of a page is in the test's source.
namespace catena::testing {

// The "```cpp" blocks of a Markdown text.
std::vector<std::string> code_blocks(const std::string& text);

// Whether code has a block, ignoring whitespace.
bool has_block(const std::string& code, const std::string& block);

// Expects the source to contain each "```cpp" block of the page except for the
// first, ignoring whitespace. The first, the includes and using declarations,
// is a header that the source includes (page_test.bzl); so that it is complete,
// the source must include no other headers of catena but test support. Paths
// are relative to the root.
void expect_code_of_page(const std::string& page, const std::string& source,
                         int blocks);

}  // namespace catena::testing
