#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "catena/dataset/tokenizers/tokenizer.h"
#include "catena/links/model/chat_format.h"
#include "catena/links/model/language_model.h"

// Texts by a language model and its tokenizer.
namespace catena::links {

struct TextOptions {
  NamedFieldsOnly keywords = {};
  // As in generate(), but for `decode`, which the tokenizer does.
  GenerateOptions generate = {};
  // Whether "<|endoftext|>", say, in the prompt is this special token.
  bool allow_special_tokens = false;
  // Called with each new part of the text, as soon as it is certain: whole
  // characters, and nothing that could be the begin of a stop text. All parts
  // together are the result, which of beams is one part.
  std::function<void(std::string_view)> on_text = {};
};

// Continues a prompt; returns the new text alone. Special tokens are left out.
//
//   const auto tokenizer = datasets::read_tokenizer(folder +
//   "/tokenizer.json"); const auto model = links::load_pretrained(folder);
//   std::cout << links::generate_text(*model, tokenizer, "To be");
//
// Throws as generate() and Tokenizer::encode() do; ValueError when the
// tokenizer has more tokens than the model, or options.generate.decode is set.
std::string generate_text(LanguageModel& model,
                          const datasets::Tokenizer& tokenizer,
                          std::string_view prompt,
                          const TextOptions& options = {});

// The answer to a conversation in a chat format (chat_format.h), up to the
// token that ends it. Special tokens in messages are plain text. Throws as
// generate_text() and chat_parts() do; ValueError when the tokenizer lacks a
// special token of the format.
std::string generate_answer(LanguageModel& model,
                            const datasets::Tokenizer& tokenizer,
                            std::string_view format,
                            std::span<const ChatMessage> messages,
                            const TextOptions& options = {});

// The chat format whose special tokens a tokenizer has. Throws ValueError when
// it has those of none, or of several.
std::string chat_format_of(const datasets::Tokenizer& tokenizer);

}  // namespace catena::links
