// Pages that walk through example programs. Such a page links to the sources of
// its programs: each block of code must be in one of them, and each program
// that it runs and each picture that it shows must exist.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "catena/docs/page_code.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string read(const std::string& path) { return read_file(runfile(path)); }

// The first group of each match.
std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end;
       ++it) {
    found.insert((*it)[1]);
  }
  return found;
}

class WalksTest : public ::testing::TestWithParam<const char*> {
 protected:
  const std::string page_ = read(std::string("docs/guide/") + GetParam());
};
INSTANTIATE_TEST_SUITE_P(Pages, WalksTest,
                         ::testing::Values("at_a_glance.md", "dcgan.md",
                                           "language_model.md",
                                           "mnist_by_hand.md",
                                           "mnist_trainer.md", "seq2seq.md",
                                           "vae.md", "word2vec.md"));

TEST_P(WalksTest, CodeIsThatOfThePrograms) {
  std::vector<std::string> sources;
  for (const std::string& path :
       matches(page_, R"(\(\.\./\.\./(examples/[\w/]+\.(?:cc|h))\))")) {
    sources.push_back(read(path));
  }
  const std::vector<std::string> blocks = code_blocks(page_);
  EXPECT_GT(blocks.size(), 3u);
  for (const std::string& block : blocks) {
    EXPECT_TRUE(std::ranges::any_of(sources, [&](const std::string& source) {
      return has_block(source, block);
    })) << block;
  }
}

TEST_P(WalksTest, ProgramsExist) {
  const auto labels =
      matches(page_, R"(\./bazelw run .*?//(examples/[\w:/]+))");
  EXPECT_THAT(labels, Not(IsEmpty()));
  for (const std::string& label : labels) {
    const std::string folder = label.substr(0, label.find(':'));
    const std::string target = label.substr(label.find_last_of(":/") + 1);
    EXPECT_THAT(read(folder + "/BUILD"), HasSubstr("name = \"" + target + "\""))
        << label;
  }
}

TEST_P(WalksTest, PicturesExist) {
  const auto pictures = matches(page_, R"(\]\(\.\./(images/[^)]+)\))");
  EXPECT_THAT(pictures, Not(IsEmpty()));
  for (const std::string& picture : pictures) {
    EXPECT_TRUE(std::filesystem::exists(runfile("docs/" + picture))) << picture;
  }
}

}  // namespace
}  // namespace catena::testing
