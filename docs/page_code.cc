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

}  // namespace

void expect_code_of_page(const std::string& page, const std::string& source,
                         int blocks) {
  const std::string text = read(page);
  const std::string code = squeezed(read(source));
  const std::string begin = "```cpp\n";
  int seen = 0;
  for (size_t at = text.find(begin); at != std::string::npos;
       at = text.find(begin, at)) {
    at += begin.size();
    const size_t end = text.find("```", at);
    const std::string block = text.substr(at, end - at);
    // Includes are compared line by line, since the source has others in
    // between.
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_NE(code.find(squeezed(line)), std::string::npos) << line;
    }
    if (++seen > 1) {
      EXPECT_NE(code.find(squeezed(block)), std::string::npos)
          << "block " << seen << " of " << page << ":\n"
          << block;
    }
    at = end;
  }
  EXPECT_EQ(seen, blocks) << "blocks of " << page;
}

}  // namespace catena::testing
