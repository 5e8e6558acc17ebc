#include "catena/dataset/tokenizers/tokenizer_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/dataset/dataset_root.h"
#include "catena/dataset/tokenizers/vocab_bpe.h"
#include "catena/tests/support/mutations.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::read_file;
using ::catena::testing::runfile;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::nlohmann::json;
using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

const std::string kGolden = "tests/golden/tokenizers/";

json golden(const std::string& name) {
  return json::parse(read_file(runfile(kGolden + name)));
}

std::string file_of(const std::string& family) {
  return runfile(kGolden + family + ".tokenizer.json");
}

// Compares all texts with the table of @huggingface/tokenizers.
void expect_table(const Tokenizer& tokenizer, const std::string& name) {
  const json texts = golden("texts.json");
  const json table = golden(name + ".ids.json");
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto text = texts[i].get<std::string>();
    const Ids plain = tokenizer.encode(text);
    EXPECT_EQ(plain, table["plain"][i].get<Ids>()) << name << ": " << text;
    const Ids special = tokenizer.encode(text, {.allow_special_tokens = true});
    EXPECT_EQ(special, table["special"][i].get<Ids>()) << name << ": " << text;
    const auto decoded = table["decoded"][i].get<std::string>();
    const DecodeOptions all = {.skip_special_tokens = false};
    EXPECT_EQ(tokenizer.decode(special, all), decoded) << name << ": " << text;
    StreamDecoder stream(tokenizer, all);
    std::string streamed;
    for (const int32_t id : special) streamed += stream.add(id);
    streamed += stream.finish();
    EXPECT_EQ(streamed, decoded) << name << ": " << text;
  }
}

class FamilyTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FamilyTest, HasTheIdsOfAnotherImplementation) {
  expect_table(read_tokenizer(file_of(GetParam())), GetParam());
}

TEST_P(FamilyTest, IsTheSameAfterItWasSaved) {
  const TempFolder folder;
  const std::string once = folder.file("once.json");
  const std::string twice = folder.file("twice.json");
  save_tokenizer(once, read_tokenizer(file_of(GetParam())));
  const Tokenizer again = read_tokenizer(once);
  expect_table(again, GetParam());
  save_tokenizer(twice, again);
  EXPECT_EQ(read_file(once), read_file(twice));
  const json before = json::parse(read_file(file_of(GetParam())));
  const json after = json::parse(read_file(once));
  for (const char* const name : {"added_tokens", "normalizer", "pre_tokenizer",
                                 "post_processor", "decoder"}) {
    EXPECT_EQ(after[name], before[name]) << name;
  }
  EXPECT_EQ(after["model"]["vocab"], before["model"]["vocab"]);
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyTest,
                         ::testing::Values("bert_cased", "bert_uncased",
                                           "gemma", "gpt2", "llama2", "llama3",
                                           "mistral", "nfkc", "qwen2",
                                           "roberta", "smollm2", "unknown",
                                           "words"));

// Vocabularies that are too large for the repository.
std::string path_of(const std::string& model) {
  try {
    return str(dataset::get_dataset_root(), "/tokenizers/", model,
               "/tokenizer.json");
  } catch (const ValueError&) {  // The environment does not say where.
    return "";
  }
}

class PublishedTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedTest, HasTheIdsOfAnotherImplementation) {
  const std::string name = GetParam();
  const std::string path = path_of(name);
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << "tools/fetch_test_data gets " << name
                 << "'s vocabulary; with --test_env=HOME, Bazel's tests see it";
  }
  expect_table(read_tokenizer(path), "published_" + name);
}

INSTANTIATE_TEST_SUITE_P(Models, PublishedTest,
                         ::testing::Values("gemma3", "llama2", "llama3",
                                           "qwen3"));

TEST(Gpt2TokenizerTest, HasTheIdsOfAnotherImplementation) {
  expect_table(gpt2_tokenizer(), "published_gpt2");
}

// What reading a file of a family says after a change.
class RefusalTest : public ::testing::Test {
 protected:
  explicit RefusalTest() : file_(json::parse(read_file(file_of("llama2")))) {}

  static json family(const std::string& name) {
    return json::parse(read_file(file_of(name)));
  }
  std::string error_of_text(const std::string& text) const {
    const std::string path = folder_.file("tokenizer.json");
    write_file(path, text);
    return error_of<IoError>([&] { read_tokenizer(path); });
  }
  std::string error_of_file(const json& file) const {
    return error_of_text(file.dump());
  }

  const TempFolder folder_;
  json file_;
};

TEST_F(RefusalTest, NamesWhatItDoesNotKnow) {
  json file = file_;
  file["future"] = 1;
  EXPECT_THAT(error_of_file(file),
              HasSubstr("'future': expected no such field, got '1'"));
  file = file_;
  file["normalizer"]["normalizers"][1]["type"] = "Precompiled";
  EXPECT_THAT(error_of_file(file),
              HasSubstr("normalizer.normalizers[1].type: expected NFC"));
  file = file_;
  file["normalizer"]["normalizers"][1]["pattern"] = {{"Regex", " +"}};
  EXPECT_THAT(error_of_file(file),
              HasSubstr("normalizer.normalizers[1].pattern: expected a text"));
  file = file_;
  file["pre_tokenizer"] = {{"type", "Split"},
                           {"pattern", {{"Regex", "\\d+"}}},
                           {"behavior", "Isolated"},
                           {"invert", false}};
  EXPECT_THAT(error_of_file(file),
              HasSubstr("pre_tokenizer.pattern.Regex: expected the expression "
                        "by which GPT-2, Llama 3 or Qwen2 splits, got"));
  file = file_;
  file["post_processor"]["type"] = "Other";
  EXPECT_THAT(error_of_file(file),
              HasSubstr("post_processor.type: expected TemplateProcessing"));
  file = file_;
  file["decoder"]["decoders"][0]["type"] = "CTC";
  EXPECT_THAT(error_of_file(file),
              HasSubstr("decoder.decoders[0].type: expected ByteLevel"));
  file = file_;
  file["model"]["type"] = "Unigram";
  EXPECT_THAT(error_of_file(file),
              HasSubstr("model.type: expected BPE or WordPiece, got"));
  file = file_;
  file["model"]["dropout"] = 0.1;
  EXPECT_THAT(error_of_file(file), HasSubstr("model.dropout: expected null"));
  file = file_;
  file["truncation"] = {{"max_length", 128}};
  EXPECT_THAT(error_of_file(file), HasSubstr("truncation: expected null"));
}

TEST_F(RefusalTest, NamesTokensThatDoNotFitTogether) {
  json file = file_;
  file["model"]["merges"][2] = "x yz";
  EXPECT_THAT(error_of_file(file),
              HasSubstr("model.merges[2]: expected tokens of the vocabulary, "
                        "which make one, got 'x' and 'yz'"));
  file["model"]["merges"][2] = "xyz";
  EXPECT_THAT(error_of_file(file),
              HasSubstr("model.merges[2]: expected two tokens with a blank"));
  file = file_;
  file["added_tokens"][1]["id"] = 7;
  EXPECT_THAT(error_of_file(file),
              HasSubstr("added_tokens: expected '<s>' to have id 1 as in "
                        "model.vocab, got 7"));
  file = file_;
  file["post_processor"]["special_tokens"]["<s>"]["ids"][0] = 9;
  EXPECT_THAT(error_of_file(file),
              HasSubstr("post_processor: expected tokens of the vocabulary "
                        "with their ids, got '<s>' with id 9"));
  file = file_;
  file["model"]["unk_token"] = "none";
  EXPECT_THAT(error_of_file(file),
              HasSubstr("model.unk_token: expected a token of the vocabulary"));
  file = file_;
  file["model"]["vocab"].erase("<0x0A>");
  EXPECT_THAT(error_of_file(file), HasSubstr("got '<0x0A>'"));
  file = file_;
  file["model"]["vocab"]["twin"] = 5;
  EXPECT_THAT(error_of_file(file),
              HasSubstr("model.vocab: expected one token for id 5"));
  file = file_;
  file["model"]["vocab"]["far"] = 2'000'000'000;
  EXPECT_THAT(error_of_file(file), HasSubstr("got 2000000000 of 'far'"));
  file = file_;
  file["model"]["vocab"]["far"] = -1;
  EXPECT_THAT(error_of_file(file),
              HasSubstr("model.vocab.'far': expected an id from 0"));
  file["model"]["vocab"] = json::object();
  EXPECT_THAT(error_of_file(file), HasSubstr("expected tokens, got none"));
  file = family("gpt2");
  file["decoder"] = file_["decoder"];
  EXPECT_THAT(error_of_file(file),
              HasSubstr("decoder: expected ByteLevel, as pre_tokenizer"));
}

TEST_F(RefusalTest, RefusesWhatIsNoJson) {
  EXPECT_THAT(error_of_text("{\"version\": "),
              HasSubstr("expected JSON, got something else at byte 13"));
  EXPECT_THAT(error_of_text(std::string("{}\0", 3)), HasSubstr("zero byte"));
  EXPECT_THAT(error_of_text("[]"), HasSubstr("the whole: expected an object"));
  EXPECT_THAT(error_of_text("{\"version\":\"1.0\",\"version\":\"1.0\"}"),
              HasSubstr("expected unique names, got 'version' twice"));
  EXPECT_THAT(error_of_text(std::string(100, '[') + std::string(100, ']')),
              HasSubstr("expected at most 16 levels"));
  EXPECT_THAT(error_of_text("{\"model\":{\"vocab\":[]}}"),
              HasSubstr("model.vocab: expected an object, got a list"));
  EXPECT_THAT(error_of_text("{\"model\":{\"vocab\":{\"a\":[1]}}}"),
              HasSubstr("got a list or an object"));
  EXPECT_THAT(error_of_text("{\"model\":{\"vocab\":{},\"merges\":[[\"a\"]]}}"),
              HasSubstr("model.merges[0]: expected two tokens with a blank "
                        "between them, or a list of two, got a list of 1"));
  EXPECT_THAT(error_of<IoError>([&] {
                read_tokenizer(file_of("gpt2"), {.total_bytes = 100});
              }),
              HasSubstr("expected at most 100 bytes"));
  EXPECT_THAT(error_of<IoError>([&] { read_tokenizer("/none/x.json"); }),
              HasSubstr("read_tokenizer: '/none/x.json'"));
}

TEST_F(RefusalTest, SurvivesDamagedFiles) {
  const std::string path = folder_.file("damaged.json");
  for (const char* const name : {"llama3", "gemma", "bert_cased"}) {
    testing::expect_no_harm_by_mutations(
        read_file(file_of(name)),
        [&](const std::string& bytes) {
          write_file(path, bytes);
          read_tokenizer(path);
        },
        300);
  }
}

}  // namespace
}  // namespace catena::datasets
