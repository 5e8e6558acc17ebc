#include "catena/docs/page_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catena/array/core/shape.h"  // as if a page lacked it

namespace catena::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> failures(const std::string& page,
                                  const std::string& source, int blocks) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::
            INTERCEPT_ONLY_CURRENT_THREAD,
        &results);
    expect_code_of_page(page, source, blocks);
  }
  std::vector<std::string> messages;
  for (int i = 0; i < results.size(); ++i) {
    messages.emplace_back(results.GetTestPartResult(i).message());
  }
  return messages;
}

TEST(PageCodeTest, AcceptsAPageWithItsSource) {
  EXPECT_THAT(
      failures("tests/testing/README.md", "docs/testing_readme_test.cc", 2),
      IsEmpty());
}

TEST(PageCodeTest, FindsBlocksThatAreNotInTheSource) {
  EXPECT_THAT(failures("docs/own_link.md", "docs/testing_readme_test.cc", 8),
              AllOf(SizeIs(7), Each(HasSubstr("of docs/own_link.md"))));
}

TEST(PageCodeTest, BlocksAreComparedWithoutWhitespace) {
  const auto blocks =
      code_blocks("a\n```cpp\nint  x = 1;\n```\n```cpp\nint y;\n```\n");
  ASSERT_THAT(blocks, ElementsAre("int  x = 1;\n", "int y;\n"));
  EXPECT_TRUE(has_block("int x\n= 1;", blocks[0]));
  EXPECT_FALSE(has_block("int x\n= 1;", blocks[1]));
}

TEST(PageCodeTest, CountsBlocks) {
  EXPECT_THAT(
      failures("tests/testing/README.md", "docs/testing_readme_test.cc", 3),
      ElementsAre(HasSubstr("blocks of tests/testing/README.md")));
}

TEST(PageCodeTest, FindsHeadersThatThePageLacks) {
  EXPECT_THAT(failures("tests/testing/README.md", "docs/page_code_test.cc", 2),
              ::testing::Contains(HasSubstr("\"catena/array/core/shape.h\"")));
}

}  // namespace
}  // namespace catena::testing
