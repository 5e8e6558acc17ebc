#include "catena/dataset/tokenizers/tokenizer_components.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

std::string type_of(const JsonField& field) {
  if (!field.value().is_object()) field.refuse("an object or null");
  return field["type"].text();
}

std::string text_of_pattern(const JsonField& field) {
  field.check_fields({"String", "Regex"});
  const JsonField text = field["String"];
  if (text.is_null()) field.refuse("a text ('String')");
  if (text.text().empty()) text.refuse("text that is not empty");
  return text.text();
}

SplitBehavior behavior_of(const JsonField& field) {
  const std::string& name = field.text();
  if (name == "Removed") return SplitBehavior::kRemoved;
  if (name == "Isolated") return SplitBehavior::kIsolated;
  if (name == "MergedWithPrevious") return SplitBehavior::kMergedWithPrevious;
  if (name == "MergedWithNext") return SplitBehavior::kMergedWithNext;
  if (name == "Contiguous") return SplitBehavior::kContiguous;
  field.refuse(
      "Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

PreTokenizer split_of(const JsonField& field) {
  field.check_fields({"type", "pattern", "behavior", "invert"});
  const JsonField name = field["behavior"];
  const SplitBehavior behavior = behavior_of(name);
  const bool inverts = field["invert"].boolean_or(false);
  const JsonField pattern = field["pattern"];
  pattern.check_fields({"String", "Regex"});
  const JsonField regex = pattern["Regex"];
  if (regex.is_null()) {
    return splitting_at_text(text_of_pattern(pattern), behavior, inverts);
  }
  const std::optional<SplitPattern> known = split_pattern_of(regex.text());
  if (!known) {
    regex.refuse("the expression by which GPT-2, Llama 3 or Qwen2 splits");
  }
  // These match all of a text, so that nothing is between matches.
  if (behavior != SplitBehavior::kIsolated &&
      !(behavior == SplitBehavior::kRemoved && inverts)) {
    name.refuse("Isolated for this expression, or Removed with invert");
  }
  return splitting_by_pattern(*known);
}

struct Metaspace {
  std::string replacement;
  PrependScheme scheme;
  bool splits;
};

Metaspace metaspace_of(const JsonField& field) {
  field.check_fields({"type", "replacement", "str_rep", "prepend_scheme",
                      "add_prefix_space", "split"});
  Metaspace result = {field["replacement"].text(), PrependScheme::kAlways,
                      field["split"].boolean_or(true)};
  if (result.replacement.empty()) {
    field["replacement"].refuse("text that is not empty");
  }
  const JsonField scheme = field["prepend_scheme"];
  const std::string name = scheme.text_or(
      field["add_prefix_space"].boolean_or(true) ? "always" : "never");
  if (name == "never") {
    result.scheme = PrependScheme::kNever;
  } else if (name == "first") {
    result.scheme = PrependScheme::kFirst;
  } else if (name != "always") {
    scheme.refuse("always, never or first");
  }
  return result;
}

void check_fields_of_byte_level(const JsonField& field) {
  field.check_fields({"type", "add_prefix_space", "trim_offsets", "use_regex"});
}

// Appends what a component does; a sequence appends several.
void append_pre_tokenizers(const JsonField& field,
                           std::vector<PreTokenizer>& all, bool& is_of_bytes) {
  if (is_of_bytes) field.refuse("nothing after ByteLevel");
  const std::string type = type_of(field);
  if (type == "Sequence") {
    field.check_fields({"type", "pretokenizers"});
    for (const JsonField& part : field["pretokenizers"].elements()) {
      append_pre_tokenizers(part, all, is_of_bytes);
    }
  } else if (type == "ByteLevel") {
    check_fields_of_byte_level(field);
    is_of_bytes = true;
    if (field["add_prefix_space"].boolean_or(true)) {
      all.push_back(prepending_blank());
    }
    if (field["use_regex"].boolean_or(true)) {
      all.push_back(splitting_by_pattern(SplitPattern::kGpt2));
    }
  } else if (type == "Split") {
    all.push_back(split_of(field));
  } else if (type == "Metaspace") {
    const Metaspace metaspace = metaspace_of(field);
    all.push_back(metaspace_pre_tokenizer(metaspace.replacement,
                                          metaspace.scheme, metaspace.splits));
  } else if (type == "BertPreTokenizer") {
    field.check_fields({"type"});
    all.push_back(bert_pre_tokenizer());
  } else if (type == "Digits") {
    field.check_fields({"type", "individual_digits"});
    all.push_back(
        splitting_at_digits(field["individual_digits"].boolean_or(false)));
  } else if (type == "Punctuation") {
    field.check_fields({"type", "behavior"});
    const JsonField behavior = field["behavior"];
    all.push_back(splitting_at_punctuation(
        behavior.is_null() ? SplitBehavior::kIsolated : behavior_of(behavior)));
  } else if (type == "Whitespace") {
    field.check_fields({"type"});
    all.push_back(splitting_words());
  } else if (type == "WhitespaceSplit") {
    field.check_fields({"type"});
    all.push_back(splitting_at_spaces());
  } else {
    field["type"].refuse(
        "ByteLevel, Split, Metaspace, BertPreTokenizer, Digits, Punctuation, "
        "Whitespace, WhitespaceSplit or Sequence");
  }
}

std::pair<std::string, int32_t> token_and_id_of(const JsonField& field) {
  const std::vector<JsonField> elements = field.elements();
  if (elements.size() != 2) field.refuse("a token and its id");
  return {elements[0].text(), elements[1].whole_number()};
}

TemplatePart part_of(const std::pair<std::string, int32_t>& token,
                     int32_t type) {
  return {.kind = TemplatePart::kToken,
          .type = type,
          .id = token.second,
          .token = token.first};
}

// The parts of a template; `tokens` has the special ones.
std::vector<TemplatePart> template_parts_of(const JsonField& field,
                                            const JsonField& tokens,
                                            bool is_pair) {
  std::vector<TemplatePart> parts;
  for (const JsonField& element : field.elements()) {
    element.check_fields({"SpecialToken", "Sequence"});
    const bool is_token = !element["SpecialToken"].is_null();
    const JsonField part = element[is_token ? "SpecialToken" : "Sequence"];
    part.check_fields({"id", "type_id"});
    const std::string& id = part["id"].text();
    const int32_t type = part["type_id"].whole_number();
    if (!is_token) {
      if (id != "A" && !(is_pair && id == "B")) {
        part["id"].refuse(is_pair ? "A or B" : "A");
      }
      parts.push_back({.kind = id == "A" ? TemplatePart::kFirstText
                                         : TemplatePart::kSecondText,
                       .type = type});
      continue;
    }
    const JsonField token = tokens[id];
    if (token.is_null()) part["id"].refuse("one of special_tokens");
    token.check_fields({"id", "ids", "tokens"});
    const std::vector<JsonField> ids = token["ids"].elements();
    const std::vector<JsonField> texts = token["tokens"].elements();
    if (ids.size() != texts.size()) token.refuse("as many ids as tokens");
    for (size_t i = 0; i < ids.size(); ++i) {
      parts.push_back(part_of({texts[i].text(), ids[i].whole_number()}, type));
    }
  }
  return parts;
}

constexpr TemplatePart::Kind kFirst = TemplatePart::kFirstText;
constexpr TemplatePart::Kind kSecond = TemplatePart::kSecondText;

DecodeStep replacing_step(std::string from, std::string to) {
  return [from = std::move(from), to = std::move(to)](std::string& text,
                                                      bool /*is_first*/) {
    text = replaced(text, from, to);
  };
}

DecodeStep metaspace_step(const Metaspace& metaspace) {
  return [metaspace](std::string& text, bool is_first) {
    text = replaced(text, metaspace.replacement, " ");
    if (is_first && metaspace.scheme != PrependScheme::kNever &&
        text.starts_with(' ')) {
      text.erase(0, 1);
    }
  };
}

DecodeStep stripping_step(std::string content, int32_t start, int32_t stop) {
  return [content = std::move(content), start, stop](std::string& text,
                                                     bool /*is_first*/) {
    for (int32_t i = 0; i < start && text.starts_with(content); ++i) {
      text.erase(0, content.size());
    }
    for (int32_t i = 0; i < stop && text.ends_with(content); ++i) {
      text.resize(text.size() - content.size());
    }
  };
}

DecodeStep word_piece_step(const std::string& prefix, bool cleans_up) {
  return [prefix, cleans_up](std::string& text, bool is_first) {
    if (!is_first) {
      if (text.starts_with(prefix)) {
        text.erase(0, prefix.size());
      } else {
        text.insert(0, " ");
      }
    }
    if (!cleans_up) return;
    // Spaces that no one writes in English.
    constexpr std::pair<std::string_view, std::string_view> kCleanUps[] = {
        {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
        {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
        {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (const auto& [from, to] : kCleanUps) text = replaced(text, from, to);
  };
}

struct DecoderParts {
  DecoderRules rules;
  bool is_fused = false;  // whether all is one text now
};

void append_decoder(const JsonField& field, DecoderParts& parts) {
  DecoderRules& rules = parts.rules;
  const std::string type = type_of(field);
  if (type == "Sequence") {
    field.check_fields({"type", "decoders"});
    for (const JsonField& part : field["decoders"].elements()) {
      append_decoder(part, parts);
    }
    return;
  }
  if (type == "Fuse") {
    field.check_fields({"type"});
    parts.is_fused = true;
    return;
  }
  if (type == "Strip") {
    field.check_fields({"type", "content", "start", "stop"});
    const std::string& content = field["content"].text();
    const int32_t start = field["start"].whole_number();
    const int32_t stop = field["stop"].whole_number();
    if (content.empty() || first_character(content.data()).length !=
                               static_cast<int32_t>(content.size())) {
      field["content"].refuse("a character");
    }
    if (!parts.is_fused && !rules.has_byte_tokens) {
      rules.steps.push_back(stripping_step(content, start, stop));
      return;
    }
    if (!parts.is_fused || content != " " || rules.stripped_blanks != 0) {
      field.refuse("blanks to be stripped once, and after Fuse");
    }
    if (stop != 0) field["stop"].refuse("0 after Fuse");
    rules.stripped_blanks = start;
    return;
  }
  if (parts.is_fused || rules.has_byte_tokens || rules.is_of_bytes) {
    field["type"].refuse(
        "nothing but Fuse and Strip after ByteFallback, "
        "ByteLevel or Fuse");
  }
  if (type == "ByteLevel") {
    check_fields_of_byte_level(field);
    rules.is_of_bytes = true;
    parts.is_fused = true;
  } else if (type == "ByteFallback") {
    field.check_fields({"type"});
    rules.has_byte_tokens = true;
  } else if (type == "Replace") {
    field.check_fields({"type", "pattern", "content"});
    rules.steps.push_back(replacing_step(text_of_pattern(field["pattern"]),
                                         field["content"].text()));
  } else if (type == "Metaspace") {
    rules.steps.push_back(metaspace_step(metaspace_of(field)));
    rules.tells_first = true;
  } else if (type == "WordPiece") {
    field.check_fields({"type", "prefix", "cleanup"});
    rules.steps.push_back(word_piece_step(field["prefix"].text_or("##"),
                                          field["cleanup"].boolean_or(true)));
    rules.tells_first = true;
  } else {
    field["type"].refuse(
        "ByteLevel, ByteFallback, Replace, Metaspace, "
        "WordPiece, Fuse, Strip or Sequence");
  }
}

}  // namespace

Normalizer normalizer_of(const JsonField& field) {
  if (field.is_null()) return nullptr;
  const std::string type = type_of(field);
  if (type == "Sequence") {
    field.check_fields({"type", "normalizers"});
    std::vector<Normalizer> all;
    for (const JsonField& part : field["normalizers"].elements()) {
      if (part.is_null()) part.refuse("an object");
      all.push_back(normalizer_of(part));
    }
    return all_normalizers(std::move(all));
  }
  if (type == "Replace") {
    field.check_fields({"type", "pattern", "content"});
    return replacing(text_of_pattern(field["pattern"]),
                     field["content"].text());
  }
  if (type == "Prepend") {
    field.check_fields({"type", "prepend"});
    return prepending(field["prepend"].text());
  }
  if (type == "Strip") {
    field.check_fields({"type", "strip_left", "strip_right"});
    return stripping_spaces(field["strip_left"].boolean_or(true),
                            field["strip_right"].boolean_or(true));
  }
  if (type == "BertNormalizer") {
    field.check_fields({"type", "clean_text", "handle_chinese_chars",
                        "strip_accents", "lowercase"});
    const bool lowers_case = field["lowercase"].boolean_or(true);
    return bert_normalizer(
        {.cleans_text = field["clean_text"].boolean_or(true),
         .separates_ideographs = field["handle_chinese_chars"].boolean_or(true),
         .strips_accents = field["strip_accents"].boolean_or(lowers_case),
         .lowers_case = lowers_case});
  }
  const auto alone = [&field](Normalizer normalizer) {
    field.check_fields({"type"});
    return normalizer;
  };
  if (type == "NFC") return alone(normalizing_form(NormalForm::kNfc));
  if (type == "NFD") return alone(normalizing_form(NormalForm::kNfd));
  if (type == "NFKC") return alone(normalizing_form(NormalForm::kNfkc));
  if (type == "NFKD") return alone(normalizing_form(NormalForm::kNfkd));
  if (type == "Lowercase") return alone(lowering_case());
  if (type == "StripAccents") return alone(stripping_accents());
  field["type"].refuse(
      "NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend, "
      "BertNormalizer or Sequence");
}

PreTokenizerParts pre_tokenizer_of(const JsonField& field) {
  PreTokenizerParts result;
  if (field.is_null()) return result;
  std::vector<PreTokenizer> all;
  append_pre_tokenizers(field, all, result.is_of_bytes);
  if (all.size() == 1) {
    result.splits = std::move(all.front());
  } else if (!all.empty()) {
    result.splits = all_pre_tokenizers(std::move(all));
  }
  return result;
}

TextTemplate text_template_of(const JsonField& field) {
  if (field.is_null()) return {};
  const std::string type = type_of(field);
  if (type == "Sequence") {
    field.check_fields({"type", "processors"});
    std::optional<TextTemplate> result;
    for (const JsonField& part : field["processors"].elements()) {
      if (part.is_null()) part.refuse("an object");
      TextTemplate next = text_template_of(part);
      if (part["type"].text() == "ByteLevel") continue;
      if (result) part.refuse("one template besides ByteLevel");
      result = std::move(next);
    }
    return result.value_or(TextTemplate());
  }
  if (type == "ByteLevel") {  // It is about places in the text alone.
    check_fields_of_byte_level(field);
    return {};
  }
  if (type == "TemplateProcessing") {
    field.check_fields({"type", "single", "pair", "special_tokens"});
    const JsonField tokens = field["special_tokens"];
    if (!tokens.value().is_object()) tokens.refuse("an object");
    return {.single = template_parts_of(field["single"], tokens, false),
            .pair = template_parts_of(field["pair"], tokens, true)};
  }
  if (type == "BertProcessing") {
    field.check_fields({"type", "sep", "cls"});
    const auto end = token_and_id_of(field["sep"]);
    const auto begin = token_and_id_of(field["cls"]);
    return {.single = {part_of(begin, 0), {kFirst, 0}, part_of(end, 0)},
            .pair = {part_of(begin, 0),
                     {kFirst, 0},
                     part_of(end, 0),
                     {kSecond, 1},
                     part_of(end, 1)}};
  }
  if (type == "RobertaProcessing") {
    field.check_fields(
        {"type", "sep", "cls", "trim_offsets", "add_prefix_space"});
    const auto end = token_and_id_of(field["sep"]);
    const auto begin = token_and_id_of(field["cls"]);
    return {.single = {part_of(begin, 0), {kFirst, 0}, part_of(end, 0)},
            .pair = {part_of(begin, 0),
                     {kFirst, 0},
                     part_of(end, 0),
                     part_of(end, 0),
                     {kSecond, 0},
                     part_of(end, 0)}};
  }
  field["type"].refuse(
      "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel or "
      "Sequence");
}

DecoderRules decoder_rules_of(const JsonField& field) {
  DecoderParts parts;
  if (field.is_null()) {
    // Tokens are words with blanks between them.
    parts.rules.steps.push_back([](std::string& text, bool is_first) {
      if (!is_first) text.insert(0, " ");
    });
    parts.rules.tells_first = true;
  } else {
    append_decoder(field, parts);
  }
  return parts.rules;
}

}  // namespace catena::datasets
