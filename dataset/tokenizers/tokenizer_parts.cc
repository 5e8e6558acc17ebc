#include "catena/dataset/tokenizers/tokenizer_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/dataset/tokenizers/bpe_model.h"
#include "catena/dataset/tokenizers/byte_alphabet.h"
#include "catena/dataset/tokenizers/byte_tokens.h"
#include "catena/dataset/tokenizers/utf8.h"
#include "catena/dataset/tokenizers/word_piece_model.h"

namespace catena::datasets {
namespace {

using array::quote;

// Ids that no token has may be that many.
constexpr int64_t kMaxHoles = 1 << 16;

// Makes the parts of a definition one after the other.
class Maker {
 public:
  Maker(const TokenizerDefinition& definition, const std::string& where)
      : definition_(definition),
        where_(where),
        parts_(std::make_shared<TokenizerParts>()) {}

  std::shared_ptr<const TokenizerParts> make() {
    read_tokens();
    const PreTokenizerParts pre_tokenizer =
        pre_tokenizer_of(field(definition_.pre_tokenizer, "pre_tokenizer"));
    parts_->normalizer =
        normalizer_of(field(definition_.normalizer, "normalizer"));
    parts_->splits = pre_tokenizer.splits;
    make_model(pre_tokenizer.is_of_bytes);
    make_decoder(pre_tokenizer.is_of_bytes);
    make_text_template();
    make_finders();
    parts_->normalizer_json = definition_.normalizer;
    parts_->pre_tokenizer_json = definition_.pre_tokenizer;
    parts_->post_processor_json = definition_.post_processor;
    parts_->decoder_json = definition_.decoder;
    parts_->model_json = definition_.model;
    return std::move(parts_);
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    raise<IoError>(where_, ": ", parts...);
  }
  JsonField field(const nlohmann::json& value, const char* name) const {
    return {value, where_, name};
  }

  // All tokens by id and by text, and what is special.
  void read_tokens() {
    std::vector<TokenBytes> all = definition_.vocabulary;
    if (all.empty()) fail("model.vocab: expected tokens, got none");
    std::sort(
        all.begin(), all.end(),
        [](const TokenBytes& a, const TokenBytes& b) { return a.id < b.id; });
    for (const TokenBytes& token : all) {
      parts_->model_ids.push_back(token.id);
    }
    check_unique(all, "model.vocab");
    const TokenTable model_tokens(all);
    for (const AddedToken& token : definition_.added_tokens) {
      const TokenTable::Row* const known = model_tokens.find(token.content);
      if (known == nullptr) {
        all.push_back({token.content, token.id});
      } else if (known->id != token.id) {
        fail("added_tokens: expected ", quote(token.content), " to have id ",
             known->id, " as in model.vocab, got ", token.id);
      }
    }
    std::stable_sort(
        all.begin(), all.end(),
        [](const TokenBytes& a, const TokenBytes& b) { return a.id < b.id; });
    check_unique(all, "added_tokens");
    const int64_t most = std::ssize(all) + kMaxHoles;
    for (const TokenBytes& token : all) {
      if (token.id >= most) {
        fail("expected ids below ", most, " for ", all.size(), " tokens, got ",
             token.id, " of ", quote(token.bytes));
      }
      while (parts_->tokens.size() < token.id) parts_->tokens.add("");
      parts_->tokens.add(token.bytes);
    }
    parts_->by_text = TokenTable(all);
    parts_->added_tokens = definition_.added_tokens;
    std::sort(
        parts_->added_tokens.begin(), parts_->added_tokens.end(),
        [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
    for (int64_t id = 0; id < parts_->tokens.size(); ++id) {
      parts_->kinds.push_back(
          parts_->tokens[id].empty() ? TokenKind::kNone : TokenKind::kOrdinary);
    }
    for (const AddedToken& token : parts_->added_tokens) {
      if (token.is_special) {
        parts_->kinds[static_cast<size_t>(token.id)] = TokenKind::kSpecial;
      }
    }
  }

  // The tokens are sorted by id.
  void check_unique(const std::vector<TokenBytes>& tokens,
                    std::string_view name) const {
    std::vector<std::string_view> texts;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0 && tokens[i].id == tokens[i - 1].id) {
        fail(name, ": expected one token for id ", tokens[i].id, ", got ",
             quote(tokens[i - 1].bytes), " and ", quote(tokens[i].bytes));
      }
      if (tokens[i].bytes.empty()) {
        fail(name, ": expected a token that is not empty for id ",
             tokens[i].id);
      }
      texts.push_back(tokens[i].bytes);
    }
    std::sort(texts.begin(), texts.end());
    const auto twice = std::adjacent_find(texts.begin(), texts.end());
    if (twice != texts.end()) {
      fail(name, ": expected each token once, got ", quote(*twice), " twice");
    }
  }

  int32_t known_id(std::string_view name, std::string_view token) const {
    const std::optional<int32_t> id = parts_->id_of(token);
    if (!id) {
      fail(name, ": expected a token of the vocabulary, got ", quote(token));
    }
    return *id;
  }

  void make_model(bool is_of_bytes) {
    const JsonField model = field(definition_.model, "model");
    const JsonField type = model["type"];
    // Old files have no type.
    const std::string name = type.text_or(
        model["max_input_chars_per_word"].is_null() ? "BPE" : "WordPiece");
    if (name == "BPE") {
      make_bpe(model, is_of_bytes);
    } else if (name == "WordPiece") {
      make_word_piece(model, is_of_bytes);
    } else {
      type.refuse("BPE or WordPiece");
    }
  }

  void make_bpe(const JsonField& model, bool is_of_bytes) {
    model.check_fields({"type", "dropout", "unk_token",
                        "continuing_subword_prefix", "end_of_word_suffix",
                        "fuse_unk", "byte_fallback", "ignore_merges"});
    model["dropout"].expect_null();
    for (const char* const name :
         {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!model[name].text_or("").empty()) {
        model[name].refuse("null or \"\"");
      }
    }
    BpeModelOptions options = {
        .is_of_bytes = is_of_bytes,
        .fuses_unknown = model["fuse_unk"].boolean_or(false),
        .ignores_merges = model["ignore_merges"].boolean_or(false)};
    if (!model["unk_token"].is_null()) {
      options.unknown = known_id("model.unk_token", model["unk_token"].text());
    }
    if (model["byte_fallback"].boolean_or(false) && !is_of_bytes) {
      options.byte_fallback = byte_tokens();
    }
    std::vector<TokenBytes> tokens;
    for (const TokenBytes& token : definition_.vocabulary) {
      if (!is_of_bytes) {
        tokens.push_back(token);
      } else if (auto bytes = from_byte_alphabet(token.bytes)) {
        tokens.push_back({*std::move(bytes), token.id});
      }
    }
    std::vector<TokenMerge> merges;
    for (const auto& merge : definition_.merges) {
      const auto id = [&](std::string_view token) {
        const std::optional<int32_t> known = parts_->id_of(token);
        if (known) return *known;
        fail("model.merges[", merges.size(),
             "]: expected tokens of the vocabulary, which make one, got ",
             quote(merge.first), " and ", quote(merge.second));
      };
      merges.push_back(
          {id(merge.first), id(merge.second), id(merge.first + merge.second)});
      parts_->merges.emplace_back(merges.back().left, merges.back().right);
    }
    parts_->model = std::make_unique<BpeModel>(tokens, merges, options);
  }

  std::array<int32_t, 256> byte_tokens() const {
    std::array<int32_t, 256> ids;
    for (int byte = 0; byte < 256; ++byte) {
      ids[static_cast<size_t>(byte)] =
          known_id("model.byte_fallback",
                   token_of_byte(static_cast<unsigned char>(byte)));
    }
    return ids;
  }

  void make_word_piece(const JsonField& model, bool is_of_bytes) {
    model.check_fields({"type", "unk_token", "continuing_subword_prefix",
                        "max_input_chars_per_word"});
    if (is_of_bytes) {
      model["type"].refuse("BPE, since pre_tokenizer is ByteLevel");
    }
    if (!definition_.merges.empty()) {
      fail("model.merges: expected none for WordPiece");
    }
    WordPieceModelOptions options = {
        .prefix = model["continuing_subword_prefix"].text_or("##"),
        .unknown =
            known_id("model.unk_token", model["unk_token"].text_or("[UNK]"))};
    const JsonField longest = model["max_input_chars_per_word"];
    if (!longest.is_null())
      options.max_word_characters = longest.whole_number();
    parts_->model =
        std::make_unique<WordPieceModel>(definition_.vocabulary, options);
  }

  void make_decoder(bool is_of_bytes) {
    const JsonField decoder = field(definition_.decoder, "decoder");
    const DecoderRules rules = decoder_rules_of(decoder);
    if (rules.is_of_bytes != is_of_bytes) {
      decoder.refuse(is_of_bytes ? "ByteLevel, as pre_tokenizer"
                                 : "another than ByteLevel, as pre_tokenizer");
    }
    std::vector<bool> is_text(static_cast<size_t>(parts_->tokens.size()));
    for (const AddedToken& token : parts_->added_tokens) {
      is_text[static_cast<size_t>(token.id)] = true;
    }
    parts_->decoder = TokenDecoder(parts_->tokens, is_text, rules);
  }

  void make_text_template() {
    parts_->text_template =
        text_template_of(field(definition_.post_processor, "post_processor"));
    for (const auto* const all :
         {&parts_->text_template.single, &parts_->text_template.pair}) {
      for (const TemplatePart& part : *all) {
        if (part.kind != TemplatePart::kToken) continue;
        if (parts_->id_of(part.token) != part.id) {
          fail(
              "post_processor: expected tokens of the vocabulary with their "
              "ids, got ",
              quote(part.token), " with id ", part.id);
        }
      }
    }
  }

  void make_finders() {
    std::vector<AddedToken> tokens[2];
    std::vector<std::string> contents[2];
    for (const AddedToken& token : parts_->added_tokens) {
      std::string content = token.content;
      if (token.is_normalized && parts_->normalizer) {
        parts_->normalizer(content);
      }
      // Nothing that a normalized text could hold.
      if (content.empty()) continue;
      tokens[token.is_normalized].push_back(token);
      contents[token.is_normalized].push_back(std::move(content));
    }
    parts_->raw_finder = AddedTokenFinder(tokens[0], contents[0]);
    parts_->normalized_finder = AddedTokenFinder(tokens[1], contents[1]);
  }

  const TokenizerDefinition& definition_;
  const std::string& where_;
  std::shared_ptr<TokenizerParts> parts_;
};

}  // namespace

std::optional<int32_t> TokenizerParts::id_of(std::string_view token) const {
  const TokenTable::Row* const row = by_text.find(token);
  if (row == nullptr) return std::nullopt;
  return row->id;
}

std::shared_ptr<const TokenizerParts> make_tokenizer_parts(
    const TokenizerDefinition& definition, const std::string& where) {
  return Maker(definition, where).make();
}

}  // namespace catena::datasets
