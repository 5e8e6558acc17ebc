#include "catena/tests/support/mutator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> many_of(uint64_t seed, const std::string& file,
                                 const std::string& other,
                                 const std::vector<std::string>& words = {}) {
  constexpr int kMany = 2000;
  Mutator mutator(seed, words);
  std::vector<std::string> files;
  for (int i = 0; i < kMany; ++i) files.push_back(mutator.changed(file, other));
  return files;
}

TEST(MutatorTest, ASeedMakesTheSameFilesAndAnotherMakesOthers) {
  EXPECT_EQ(many_of(1, "some bytes", ""), many_of(1, "some bytes", ""));
  EXPECT_NE(many_of(1, "some bytes", ""), many_of(2, "some bytes", ""));
}

TEST(MutatorTest, MostFilesOfADozenBytesAreDifferent) {
  const auto files = many_of(3, "a dozen byte", "other bytes");
  EXPECT_GT(std::set(files.begin(), files.end()).size(), files.size() * 3 / 4);
}

TEST(MutatorTest, EveryByteIsChangedAndLengthsGrowAndShrink) {
  const std::string file = "0123456789abcdef";
  std::set<size_t> changed, lengths;
  for (const std::string& found : many_of(4, file, "")) {
    lengths.insert(found.size());
    if (found.size() != file.size()) continue;
    for (size_t i = 0; i < file.size(); ++i) {
      if (found[i] != file[i]) changed.insert(i);
    }
  }
  EXPECT_EQ(changed.size(), file.size());
  EXPECT_LT(*lengths.begin(), file.size() - 4);
  EXPECT_GT(*lengths.rbegin(), file.size() + 4);
}

TEST(MutatorTest, NumbersWordsAndPartsOfTheOtherFileGetIn) {
  const auto files =
      many_of(5, "shape: 300, rest", "from another", {"True", "False"});
  for (const std::string part :
       {"shape: 301,", "shape: 600,", "shape: 0,", "True", "False", "another",
        "\xff\xff\xff\xff"}) {
    EXPECT_THAT(files, ::testing::Contains(HasSubstr(part))) << part;
  }
}

TEST(MutatorTest, AnEmptyFileGetsBytes) {
  EXPECT_THAT(many_of(6, "", ""), ::testing::Contains(::testing::SizeIs(1)));
}

}  // namespace
}  // namespace catena::testing
