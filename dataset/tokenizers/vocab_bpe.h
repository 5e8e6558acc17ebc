#pragma once

#include <string>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/tokenizers/tokenizer.h"

namespace catena::datasets {

struct VocabBpeOptions {
  NamedFieldsOnly keywords = {};
  // They get the ids behind those of the merges.
  std::vector<std::string> special_tokens = {"<|endoftext|>"};
  LoadLimits limits = {};
};

// Reads vocab.bpe, also named merges.txt, plain or gzipped: merges of bytes in
// their order, two tokens a line, as GPT-2 was published with. Ids follow from
// the order: 256 bytes, the merges, special tokens. Throws IoError for a file
// that is no such file, or whose merges are of tokens that no line before has
// made; ValueError for special tokens that are empty or not distinct.
Tokenizer read_vocab_bpe(const std::string& path,
                         const VocabBpeOptions& options = {});

// GPT-2's tokenizer, which ships with catena (dataset/data/README.md): 50,257
// tokens, of which the last, <|endoftext|>, is special. Throws IoError when the
// file is not found or damaged.
Tokenizer gpt2_tokenizer();

}  // namespace catena::datasets
