#include "catena/dataset/tokenizers/tokenizer.h"

#include <new>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/dataset/tokenizers/encode_scratch.h"
#include "catena/dataset/tokenizers/tokenizer_parts.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

// Encodes one text.
class Encoder {
 public:
  Encoder(const TokenizerParts& parts, bool allows_special,
          std::vector<int32_t>& ids)
      : parts_(parts),
        allows_special_(allows_special),
        ids_(ids),
        scratch_(0) {}

  void encode(std::string_view text) {
    scratch_ = EncodeScratch(text.size());
    std::string valid;
    if (valid_utf8_size(text) < text.size()) {
      append_valid_utf8(text, valid);
      text = valid;
    }
    for_each_part(parts_.raw_finder, text, /*is_first=*/true,
                  [this](std::string_view part, bool is_first) {
                    encode_raw(part, is_first);
                  });
  }

 private:
  // Calls use(part, is_first) for what is between added tokens, which are
  // appended.
  template <class Use>
  void for_each_part(const AddedTokenFinder& finder, std::string_view text,
                     bool is_first, Use use) {
    size_t begin = 0;
    while (const auto match = finder.find(text, begin, allows_special_)) {
      if (match->begin > begin) {
        use(text.substr(begin, match->begin - begin), is_first && begin == 0);
      }
      ids_.push_back(match->id);
      begin = match->end;
    }
    if (begin < text.size()) use(text.substr(begin), is_first && begin == 0);
  }

  void encode_raw(std::string_view text, bool is_first) {
    std::string normalized;
    if (parts_.normalizer) {
      normalized = text;
      parts_.normalizer(normalized);
      text = normalized;
    }
    for_each_part(parts_.normalized_finder, text, is_first,
                  [this](std::string_view part, bool is_first_part) {
                    encode_words(part, is_first_part);
                  });
  }

  void encode_words(std::string_view text, bool is_first) {
    if (!parts_.splits) {
      parts_.model->encode(text, scratch_, ids_);
      return;
    }
    parts_.splits(text, is_first, [this](std::string_view word, bool) {
      parts_.model->encode(word, scratch_, ids_);
    });
  }

  const TokenizerParts& parts_;
  bool allows_special_;
  std::vector<int32_t>& ids_;
  EncodeScratch scratch_;
};

[[noreturn]] void refuse_id(std::string_view operation, int32_t id,
                            const TokenizerParts& parts) {
  raise<IndexError>(operation, ": expected the id of a token, below ",
                    parts.tokens.size(), ", got ", id);
}

void decode_one(const TokenizerParts& parts, int32_t id,
                const DecodeOptions& options, DecodeState& state,
                std::string& text) {
  if (!parts.has(id)) refuse_id("decode", id, parts);
  if (options.skip_special_tokens &&
      parts.is_special[static_cast<size_t>(id)]) {
    return;
  }
  parts.decoder.decode(id, state, text);
}

}  // namespace

Tokenizer::Tokenizer(std::shared_ptr<const TokenizerParts> parts)
    : parts_(std::move(parts)) {}

std::vector<int32_t> Tokenizer::encode(std::string_view text,
                                       const EncodeOptions& options) const try {
  std::vector<int32_t> ids;
  Encoder encoder(*parts_, options.allow_special_tokens, ids);
  if (!options.add_special_tokens) {
    encoder.encode(text);
    return ids;
  }
  for (const TemplatePart& part : parts_->text_template.single) {
    if (part.kind == TemplatePart::kToken) {
      ids.push_back(part.id);
    } else {
      encoder.encode(text);
    }
  }
  return ids;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("encode");
}

EncodedPair Tokenizer::encode_pair(std::string_view first,
                                   std::string_view second,
                                   const EncodeOptions& options) const try {
  EncodedPair result;
  Encoder encoder(*parts_, options.allow_special_tokens, result.ids);
  for (const TemplatePart& part : parts_->text_template.pair) {
    if (part.kind == TemplatePart::kFirstText) {
      encoder.encode(first);
    } else if (part.kind == TemplatePart::kSecondText) {
      encoder.encode(second);
    } else if (options.add_special_tokens) {
      result.ids.push_back(part.id);
    }
    result.types.resize(result.ids.size(), part.type);
  }
  return result;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("encode_pair");
}

std::string Tokenizer::decode(std::span<const int32_t> ids,
                              const DecodeOptions& options) const try {
  std::string text;
  DecodeState state;
  for (const int32_t id : ids) decode_one(*parts_, id, options, state, text);
  parts_->decoder.finish(state, text);
  return text;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("decode");
}

int64_t Tokenizer::vocabulary_size() const { return parts_->tokens.size(); }

std::string Tokenizer::token(int32_t id) const {
  if (!parts_->has(id)) refuse_id("token", id, *parts_);
  return std::string(parts_->tokens[id]);
}

std::optional<int32_t> Tokenizer::id(std::string_view token) const {
  return parts_->id_of(token);
}

const std::vector<AddedToken>& Tokenizer::added_tokens() const {
  return parts_->added_tokens;
}

bool Tokenizer::is_special(int32_t id) const {
  return parts_->has(id) && parts_->is_special[static_cast<size_t>(id)];
}

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer,
                             const DecodeOptions& options)
    : tokenizer_(tokenizer), options_(options) {}

std::string StreamDecoder::add(int32_t id) {
  std::string text;
  decode_one(tokenizer_.parts(), id, options_, state_, text);
  return text;
}

std::string StreamDecoder::finish() {
  std::string text;
  tokenizer_.parts().decoder.finish(state_, text);
  state_ = {};
  return text;
}

}  // namespace catena::datasets
