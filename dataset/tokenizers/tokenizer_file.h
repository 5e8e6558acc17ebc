#pragma once

#include <string>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/tokenizers/tokenizer.h"

namespace catena::datasets {

// Reads tokenizer.json, the form in which Hugging Face's models have their
// tokenizers: byte pair encoding of bytes, or of characters with bytes for
// those that have no token, and WordPiece, with the normalizers, splits,
// templates and decoders of GPT-2, Llama 2 and 3, Mistral, Qwen2 and 3,
// SmolLM2, Gemma and BERT (docs/transformers.md lists them).
//
// Throws IoError for a file that is no such file, or has a component, a field
// or a regular expression that catena does not know, which it names; for merges
// of tokens that are not in the vocabulary; and for special tokens with other
// ids than the vocabulary has.
Tokenizer read_tokenizer(const std::string& path,
                         const LoadLimits& limits = {});

// Writes tokenizer.json, which read_tokenizer and other libraries read. Throws
// IoError when it cannot be written.
void save_tokenizer(const std::string& path, const Tokenizer& tokenizer);

}  // namespace catena::datasets
