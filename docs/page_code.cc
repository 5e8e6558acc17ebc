#include "catena/docs/page_code.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <sstream>

#include "catena/tests/support/runfiles.h"

namespace catena::testing {
namespace {

// The text without whitespace.
std::string squeezed(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  return text;
}

std::string read(const std::string& path) {
  std::ifstream file(runfile(path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Headers that the page's readers do not see could hide that an include is
// missing on the page.
void expect_only_test_support(const std::string& code) {
  const std::string include = "#include \"catena/";
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(include)) continue;
    const std::string path = line.substr(include.size());
    EXPECT_TRUE(path.starts_with("docs/") || path.starts_with("tests/"))
        << line << ": expected only the page's header and test support";
  }
}

}  // namespace

std::vector<std::string> code_blocks(const std::string& text) {
  const std::string begin = "```cpp\n";
  std::vector<std::string> blocks;
  for (size_t at = text.find(begin); at != std::string::npos;
       at = text.find(begin, at)) {
    at += begin.size();
    const size_t end = text.find("```", at);
    blocks.push_back(text.substr(at, end - at));
    at = end;
  }
  return blocks;
}

bool has_block(const std::string& code, const std::string& block) {
  return squeezed(code).find(squeezed(block)) != std::string::npos;
}

void expect_code_of_page(const std::string& page, const std::string& source,
                         int blocks) {
  const std::string code = read(source);
  expect_only_test_support(code);
  int seen = 0;
  for (const std::string& block : code_blocks(read(page))) {
    if (++seen == 1) continue;
    EXPECT_TRUE(has_block(code, block))
        << "block " << seen << " of " << page << ":\n"
        << block;
  }
  EXPECT_EQ(seen, blocks) << "blocks of " << page;
}

}  // namespace catena::testing
