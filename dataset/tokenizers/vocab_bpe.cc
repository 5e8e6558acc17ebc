#include "catena/dataset/tokenizers/vocab_bpe.h"

#include <algorithm>
#include <new>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/line_reader.h"
#include "catena/dataset/data_file.h"
#include "catena/dataset/tokenizers/byte_alphabet.h"
#include "catena/dataset/tokenizers/byte_level_definition.h"
#include "catena/dataset/tokenizers/tokenizer_parts.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

using Merges = std::vector<std::pair<std::string, std::string>>;

constexpr int64_t kGpt2Size = 50257;
constexpr int64_t kMaxBytes = int64_t{1} << 30;

Merges read_merges(array::LineReader& lines, const LoadLimits& limits) {
  Merges merges;
  std::unordered_set<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    tokens.insert(to_byte_alphabet({&c, 1}));
  }
  const int64_t most = std::min(limits.total_bytes, kMaxBytes);
  int64_t bytes = 0;
  for (std::string line; lines.next(line);) {
    if (lines.number() == 1 && line.starts_with("#version:")) continue;
    if (line.empty()) continue;  // at the end, mostly
    const auto refuse = [&](std::string_view expected) {
      raise<IoError>(lines.where(), ": line ", lines.number(), ": expected ",
                     expected, ", got ", array::quote(line));
    };
    bytes += std::ssize(line);
    if (bytes > most) {
      raise<IoError>(lines.where(), ": expected at most ", most,
                     " bytes (LoadLimits::total_bytes)");
    }
    if (valid_utf8_size(line) < line.size()) refuse("UTF-8");
    const size_t blank = line.find(' ');
    if (blank == std::string::npos ||
        line.find(' ', blank + 1) != std::string::npos) {
      refuse("two tokens with a blank between them");
    }
    std::string left = line.substr(0, blank);
    std::string right = line.substr(blank + 1);
    if (!tokens.contains(left) || !tokens.contains(right)) {
      refuse("two tokens that are bytes or made before");
    }
    if (!tokens.insert(left + right).second) {
      refuse("a token that was not made before");
    }
    merges.emplace_back(std::move(left), std::move(right));
  }
  if (merges.empty()) raise<IoError>(lines.where(), ": expected merges");
  return merges;
}

Tokenizer read_vocab_bpe(const std::string& path, std::string_view operation,
                         const VocabBpeOptions& options) {
  array::LineReader lines(path, operation, options.limits);
  return Tokenizer(make_tokenizer_parts(
      byte_level_definition(operation, read_merges(lines, options.limits),
                            options.special_tokens),
      lines.where()));
}

}  // namespace

Tokenizer read_vocab_bpe(const std::string& path,
                         const VocabBpeOptions& options) try {
  return read_vocab_bpe(path, "read_vocab_bpe", options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_vocab_bpe");
}

Tokenizer gpt2_tokenizer() try {
  const std::string path =
      dataset::find_data_file("dataset/data/gpt2_bpe.txt.gz");
  const Tokenizer tokenizer = read_vocab_bpe(path, "gpt2_tokenizer", {});
  if (tokenizer.vocabulary_size() != kGpt2Size) {
    raise<IoError>("gpt2_tokenizer: '", path, "': expected ", kGpt2Size,
                   " tokens, got ", tokenizer.vocabulary_size());
  }
  return tokenizer;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("gpt2_tokenizer");
}

}  // namespace catena::datasets
