#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/named_fields_only.h"
#include "catena/dataset/tokenizers/added_token.h"
#include "catena/dataset/tokenizers/token_decoder.h"

namespace catena::datasets {

struct TokenizerParts;

struct EncodeOptions {
  NamedFieldsOnly keywords = {};
  // Whether the text's "<|endoftext|>", say, is this special token. Otherwise
  // it is text like any other, as it has to be where others wrote the text.
  bool allow_special_tokens = false;
  // Whether the tokens that the model expects around a text are added: <s>
  // before it, or [CLS] before and [SEP] behind it, as the tokenizer has it.
  bool add_special_tokens = true;
};

struct DecodeOptions {
  NamedFieldsOnly keywords = {};
  // Whether special tokens are left out.
  bool skip_special_tokens = true;
};

// Two texts for one model, such as a question and an answer.
struct EncodedPair {
  std::vector<int32_t> ids;
  std::vector<int32_t> types;  // mostly 0 for the first text, 1 for the second
};

// Turns texts into ids of tokens and back. Made by read_tokenizer,
// gpt2_tokenizer, read_vocab_bpe or train_bpe.
//
//   const datasets::Tokenizer tokenizer = datasets::gpt2_tokenizer();
//   const std::vector<int32_t> ids = tokenizer.encode("Hello world");
//   std::cout << tokenizer.decode(ids);
//
// A tokenizer is a value: copies share what it knows, which never changes, so
// any number of threads may use it at the same time, without locks.
class Tokenizer {
 public:
  // For makers of tokenizers.
  explicit Tokenizer(std::shared_ptr<const TokenizerParts> parts);

  // The ids of a text in UTF-8. Bytes that are no UTF-8 count as U+FFFD, one
  // for each part of a character that is cut off (as Unicode recommends).
  // Throws ValueError for characters that are not in the vocabulary, if it has
  // no token for them, as those of all published models have; and for a word of
  // more than 2 GB, which the whole text is where nothing splits it.
  std::vector<int32_t> encode(std::string_view text,
                              const EncodeOptions& options = {}) const;
  // The ids of two texts as one, with the types of the tokens.
  EncodedPair encode_pair(std::string_view first, std::string_view second,
                          const EncodeOptions& options = {}) const;

  // The text of ids, always valid UTF-8: bytes that make no character become
  // U+FFFD. Throws IndexError for an id without a token.
  std::string decode(std::span<const int32_t> ids,
                     const DecodeOptions& options = {}) const;

  // One above the largest id.
  int64_t vocabulary_size() const;
  // A token as tokenizer.json writes it: GPT-2's tokens have Ġ for a blank, for
  // example. Throws IndexError for an id without a token.
  std::string token(int32_t id) const;
  // The id of a token in the same form, of special tokens, too.
  std::optional<int32_t> id(std::string_view token) const;

  // Tokens that are found in a text as they are, special ones among them, by
  // id.
  const std::vector<AddedToken>& added_tokens() const;
  bool is_special(int32_t id) const;

  // For writers of files and StreamDecoder.
  const TokenizerParts& parts() const { return *parts_; }

 private:
  std::shared_ptr<const TokenizerParts> parts_;
};

// Decodes token by token, while a model writes. What it returns, one after the
// other, is what decode returns for all ids; bytes of a character that is not
// finished are kept until it is.
//
//   StreamDecoder decoder(tokenizer);
//   for (...) std::cout << decoder.add(next_id) << std::flush;
//   std::cout << decoder.finish();
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer,
                         const DecodeOptions& options = {});

  // What this token adds to the text. Throws IndexError for an id without a
  // token.
  std::string add(int32_t id);
  // U+FFFD if a character was not finished. The next token begins a new text.
  std::string finish();

 private:
  Tokenizer tokenizer_;
  DecodeOptions options_;
  DecodeState state_;
};

}  // namespace catena::datasets
