#include "catena/dataset/tokenizers/vocab_bpe.h"

#include <gmock/gmock.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/support/gzip.h"
#include "catena/tests/support/mutations.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(VocabBpeTest, ReadsMergesInTheirOrder) {
  const TempFolder folder;
  const std::string path = folder.file("vocab.bpe");
  const std::string text = "#version: 0.2\na b\nab c\nĠ ab\n";
  for (const std::string& bytes : {text, testing::gzip(text)}) {
    write_file(path, bytes);
    const Tokenizer tokenizer =
        read_vocab_bpe(path, {.special_tokens = {"<a>", "<b>"}});
    EXPECT_EQ(tokenizer.vocabulary_size(), 256 + 3 + 2);
    EXPECT_THAT(tokenizer.encode("abc ab<b>", {.allow_special_tokens = true}),
                ElementsAre(257, 258, 260));
    EXPECT_EQ(tokenizer.id("a"), 64);  // "!" is the first
    EXPECT_EQ(tokenizer.id("!"), 0);
  }
}

TEST(VocabBpeTest, RefusesOtherFiles) {
  const TempFolder folder;
  const std::string path = folder.file("vocab.bpe");
  const auto error = [&](const std::string& bytes) {
    write_file(path, bytes);
    return error_of<IoError>([&] { read_vocab_bpe(path); });
  };
  EXPECT_THAT(error("#version: 0.2\na b\nab cd\n"),
              HasSubstr("line 3: expected two tokens that are bytes or made "
                        "before, got 'ab cd'"));
  EXPECT_THAT(error("a b c\n"),
              HasSubstr("line 1: expected two tokens with a blank"));
  EXPECT_THAT(error("a b\na b\n"),
              HasSubstr("line 2: expected a token that was not made before"));
  EXPECT_THAT(error("a \xFF\n"), HasSubstr("line 1: expected UTF-8"));
  EXPECT_THAT(error(""), HasSubstr("expected merges"));
  write_file(path, "a b\n");
  EXPECT_THAT(error_of<ValueError>(
                  [&] { read_vocab_bpe(path, {.special_tokens = {"ab"}}); }),
              HasSubstr("read_vocab_bpe: expected special tokens"));
  testing::expect_no_harm_by_mutations(
      testing::gzip("#version: 0.2\na b\nab c\n"),
      [&](const std::string& bytes) {
        write_file(path, bytes);
        read_vocab_bpe(path);
      },
      200);
}

}  // namespace
}  // namespace catena::datasets
