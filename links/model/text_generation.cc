#include "catena/links/model/text_generation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "catena/array/core/error.h"

namespace catena::links {
namespace {

using Ids = std::vector<int32_t>;

// Passes on the text of tokens, except for an end that may still be cut off.
class TextStream {
 public:
  TextStream(const datasets::Tokenizer& tokenizer, const TextOptions& options)
      : decoder_(tokenizer), on_text_(options.on_text) {
    for (const std::string& text : options.generate.stop_texts) {
      kept_ = std::max(kept_, text.size());
    }
    // A stop sequence is cut off, too, whatever its text.
    for (const Ids& ids : options.generate.stop_sequences) {
      // And a blank, which is dropped where a text begins.
      kept_ = std::max(kept_, tokenizer.decode(ids).size() + 1);
    }
  }

  void add(int32_t id) {
    text_ += decoder_.add(id);
    size_t end = text_.size() - std::min(text_.size(), kept_);
    // Not within a character.
    while (end > 0 && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80 &&
           end < text_.size()) {
      --end;
    }
    pass(end);
  }
  // Passes on what is left of the whole text.
  void finish(const std::string& text) {
    text_ = text;
    pass(text.size());
  }

 private:
  void pass(size_t end) {
    if (end <= passed_) return;
    on_text_(std::string_view(text_).substr(passed_, end - passed_));
    passed_ = end;
  }

  datasets::StreamDecoder decoder_;
  const std::function<void(std::string_view)>& on_text_;
  std::string text_;
  size_t kept_ = 0;
  size_t passed_ = 0;
};

std::string generate_from(LanguageModel& model,
                          const datasets::Tokenizer& tokenizer, const Ids& ids,
                          const TextOptions& options) {
  if (options.generate.decode) {
    raise<ValueError>("generate_text: expected no decode, got one");
  }
  if (tokenizer.vocabulary_size() > model.sizes().vocabulary) {
    raise<ValueError>("generate_text: expected a tokenizer of at most ",
                      model.sizes().vocabulary,
                      " tokens, as the model has, got ",
                      tokenizer.vocabulary_size());
  }
  GenerateOptions generating = options.generate;
  datasets::StreamDecoder decoder(tokenizer);
  generating.decode = [&](int32_t id) { return decoder.add(id); };
  TextStream stream(tokenizer, options);
  // Which of several beams is the text is known at its end.
  if (options.on_text && options.generate.beams == 1) {
    generating.on_token = [&](int32_t id) {
      stream.add(id);
      return !options.generate.on_token || options.generate.on_token(id);
    };
  }
  std::string text = tokenizer.decode(generate(model, ids, generating).ids);
  for (const std::string& stop : options.generate.stop_texts) {
    text.resize(std::min(text.size(), text.find(stop)));
  }
  if (options.on_text) stream.finish(text);
  return text;
}

int32_t special_id(const datasets::Tokenizer& tokenizer,
                   std::string_view format, const std::string& token) {
  const std::optional<int32_t> id = tokenizer.id(token);
  if (!id) {
    raise<ValueError>("generate_answer: expected a tokenizer with ", token,
                      " for the format ", format, ", got one without");
  }
  return *id;
}

}  // namespace

std::string generate_text(LanguageModel& model,
                          const datasets::Tokenizer& tokenizer,
                          std::string_view prompt, const TextOptions& options) {
  const Ids ids = tokenizer.encode(
      prompt, {.allow_special_tokens = options.allow_special_tokens});
  return generate_from(model, tokenizer, ids, options);
}

std::string generate_answer(LanguageModel& model,
                            const datasets::Tokenizer& tokenizer,
                            std::string_view format,
                            std::span<const ChatMessage> messages,
                            const TextOptions& options) {
  Ids ids;
  for (const ChatPart& part : chat_parts(format, messages)) {
    if (!part.is_special) {
      const Ids more =
          tokenizer.encode(part.text, {.add_special_tokens = false});
      ids.insert(ids.end(), more.begin(), more.end());
      continue;
    }
    ids.push_back(special_id(tokenizer, format, part.text));
  }
  TextOptions answering = options;
  answering.generate.stop_ids.push_back(
      special_id(tokenizer, format, chat_end_token(format)));
  return generate_from(model, tokenizer, ids, answering);
}

std::string chat_format_of(const datasets::Tokenizer& tokenizer) {
  // A token that begins a message. Llama 2 has none of its own: [INST] is text.
  constexpr std::pair<const char*, const char*> kBegins[] = {
      {"chatml", "<|im_start|>"},
      {"llama3", "<|start_header_id|>"},
      {"gemma", "<start_of_turn>"}};
  std::vector<std::string> found;
  for (const auto& [format, token] : kBegins) {
    if (tokenizer.id(token)) found.emplace_back(format);
  }
  if (found.size() != 1) {
    raise<ValueError>(
        "chat_format_of: expected a tokenizer with the special tokens of one "
        "of chatml, llama3 and gemma, got one with those of ",
        found.size(), "; name the format");
  }
  return found[0];
}

}  // namespace catena::links
